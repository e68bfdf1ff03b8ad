from __future__ import annotations

import shutil
from dataclasses import replace

import pytest

from shrubs.results import Record

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
OPTIONS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def hostile(records: list[Record]) -> list[Record]:
    """The same with names that try to break out of every format."""
    name = "</script><img src=x onerror=alert(1)>|&_$\\'\""
    return [
        replace(
            record,
            learner=f"{record.learner}{name}",
            label=f"{record.label}{name}",
            stream=f"{record.stream}{name}",
            classes=record.classes and tuple(f"{label}{name}" for label in record.classes),
        )
        for record in records
    ]


@pytest.fixture(scope="module")
def browser():
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("no Chromium is installed")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=OPTIONS)
        yield browser
        browser.close()


@pytest.fixture
def open_page(browser):
    """Opens a file and collects everything that must not happen."""
    contexts = []

    def open_file(path, *, width=1280, height=900, scheme="light"):
        context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme
        )
        contexts.append(context)
        page = context.new_page()
        page.troubles = []
        page.requests = []
        page.on("console", lambda message: page.troubles.append(message.text))
        page.on("pageerror", lambda error: page.troubles.append(str(error)))
        page.on("dialog", lambda dialog: page.troubles.append("a dialog opened"))
        page.on("request", lambda request: page.requests.append(request.url))
        page.goto(path.as_uri())
        page.wait_for_selector(".chart svg g")
        return page

    yield open_file
    for context in contexts:
        context.close()
