"""Takes the picture of the playground: ``make playground``, then this."""

import io
import shutil
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "build/playground/playground.html"
N = 6100  # a thousand examples after the first sudden change

if __name__ == "__main__":
    with sync_playwright() as play:
        browser = play.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page(viewport={"width": 1360, "height": 880}, color_scheme="light")
        page.goto(f"{PAGE.as_uri()}#seed=1&paused")
        page.wait_for_selector("body.ready")
        page.evaluate(f"playground.step({N - 400})")
        for _ in range(400 // 5):  # a few with every frame, as if it had rained
            page.evaluate("playground.step(5)")
            page.wait_for_timeout(30)
        page.wait_for_timeout(3000)
        picture = Image.open(io.BytesIO(page.screenshot()))
        browser.close()
    picture.convert("RGB").quantize(256).save(HERE / "playground.png", optimize=True)
