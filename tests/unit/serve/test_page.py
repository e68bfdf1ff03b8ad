"""The live page in a real browser: light, dark and on a phone, while the model learns."""

from __future__ import annotations

import json
import re
import time

import pytest

from tests.unit.report.conftest import CHROMIUM, OPTIONS
from tests.unit.serve.serving import LINES, new_model, rows, served

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
expect = sync_api.expect


@pytest.fixture(scope="module")
def browser():
    if CHROMIUM is None:
        pytest.skip("no Chromium is installed")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=OPTIONS)
        yield browser
        browser.close()


def teach(service, n, seed=0):
    lines = "\n".join(json.dumps({"x": x, "y": y}) for x, y in rows(n, seed))
    assert service.post("/learn", lines, LINES)[0] == 200


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    """One that has noticed a drift."""
    path = new_model(tmp_path_factory.mktemp("page") / "<b>m.shrubs", memory_limit="128KB")
    with served(path) as service:
        for seed in range(8):
            teach(service, 100, seed)
        x = {"a": 0.2, "b": 0.3, "c": "</script><img src=x onerror=alert(1)>"}
        while service.post("/explain", {"x": x})[1]["examples"] < 800:  # a second, at most
            time.sleep(0.1)
        service.post("/predict", {"x": x, "id": "<i>hostile"})
        yield service


@pytest.fixture
def open_page(browser, service):
    contexts = []

    def open_at(address=service.address, *, width=1280, scheme="light"):
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
        contexts.append(context)
        page = context.new_page()
        page.troubles = []
        page.on("console", lambda message: page.troubles.append(message.text))
        page.on("pageerror", lambda error: page.troubles.append(str(error)))
        page.on("dialog", lambda dialog: page.troubles.append("a dialog opened"))
        page.goto(address)
        return page

    yield open_at
    for context in contexts:
        context.close()


@pytest.mark.parametrize(
    ("width", "scheme"), [(1280, "light"), (1280, "dark"), (390, "light"), (390, "dark")]
)
def test_page_shows_everything_without_troubles(open_page, width, scheme):
    page = open_page(width=width, scheme=scheme)
    expect(page.locator("#pulse")).to_have_attribute("data-state", "live")
    expect(page.locator("h1")).to_contain_text("% right, and still learning")
    expect(page.locator(".fact")).to_have_count(7)
    for figure in ("#course .line", "#life .block", "#asked .rule code", "#asked .said"):
        expect(page.locator(figure).first).to_be_visible()
    assert page.locator("html").get_attribute("data-theme") == scheme
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.troubles == []


def test_names_are_shown_as_they_are(open_page):
    page = open_page()
    expect(page.locator("#kind")).to_have_text("<b>m.shrubs · ShrubClassifier")
    expect(page.locator("#asked .said small").first).to_have_text("<i>hostile")
    expect(page.locator("#asked .x").first).to_contain_text("onerror=alert(1)")
    assert page.troubles == []


def test_page_follows_what_is_learned(open_page, service):
    page = open_page()
    before = service.get("/health")[1]["examples"]
    expect(page.locator("#lead")).to_contain_text(f"{before:,} examples learned")
    teach(service, 300, seed=9)
    expect(page.locator("#lead")).to_contain_text(f"{before + 300:,} examples learned")
    expect(page.locator('[data-fact="so-far"] .value')).to_contain_text("%")


def test_metric_that_was_chosen_stays(open_page, service):
    page = open_page()
    page.get_by_role("button", name="right since the start").click()
    teach(service, 300, seed=10)
    examples = service.get("/health")[1]["examples"]
    expect(page.locator("#lead")).to_contain_text(f"{examples:,} examples learned")
    expect(page.locator("#course .chart.accuracy svg")).to_have_attribute(
        "aria-label", re.compile("^Accuracy so far over the stream")
    )


def test_interface_page_opens_without_troubles(open_page, service):
    for width in (1280, 390):
        page = open_page(f"{service.address}/docs", width=width)
        expect(page.locator("h3").first).to_have_text("POST /predict")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.troubles == []


def test_page_asks_for_the_token_and_says_when_the_service_is_gone(open_page, tmp_path):
    path = new_model(tmp_path / "m.shrubs")
    with served(path, limits={"token": "s3cret"}) as service:
        page = open_page(service.address)
        expect(page.locator("#token")).to_be_visible()
        page.locator("#secret").fill("s3cret")
        page.get_by_role("button", name="Show").click()
        expect(page.locator("h1")).to_have_text("Waiting for the first label")
        expect(page.locator("#token")).to_be_hidden()
    expect(page.locator("#pulse")).to_have_text("reconnecting")
