"""Draws the picture of the front page from a real race: ``python docs/figures/draw_report.py``."""

import io
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

RACE = "shrubs race agrawal_a --examples 20000"
PICTURE = Path(__file__).with_name("report.png")
WIDTH, HEIGHT = 1200, 1120


def _race(output: str) -> Path:
    command = [*RACE.split(), "--output", output]
    subprocess.run([str(Path(sys.executable).with_name(command[0])), *command[1:]], check=True)
    return Path(output, "report.html")


def _photograph(page: Path) -> bytes:
    browser_path = shutil.which("chromium") or shutil.which("google-chrome")
    with (
        sync_playwright() as play,
        play.chromium.launch(executable_path=browser_path, args=["--no-sandbox"]) as browser,
    ):
        tab = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light")
        tab.goto(page.resolve().as_uri())
        box = tab.locator("#stream-0").bounding_box()
        assert box is not None
        clip = {"x": 0, "y": box["y"] - 32, "width": WIDTH, "height": HEIGHT}
        return tab.screenshot(full_page=True, clip=clip)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        picture = Image.open(io.BytesIO(_photograph(_race(folder))))
    picture.convert("RGB").quantize(256).save(PICTURE, optimize=True)
