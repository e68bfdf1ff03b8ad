"""The playground in a real browser: figures as in Python, and all that a visitor can do."""

from __future__ import annotations

import numpy as np
import pytest

from shrubs import _core

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
expect = sync_api.expect

MAX_BYTES = 400_000
CSV = "heat,kind,alarm\n" + "".join(
    f"{(37 * i) % 100},{'abc'[i % 3]},{'yes' if (37 * i) % 100 > 60 else 'no'}\n"
    for i in range(900)
)


@pytest.fixture
def open_page(browser, playground):
    """Opens the file and collects everything that must not happen."""
    contexts = []

    def open_file(settings="", *, width=1400, height=900, **options):
        context = browser.new_context(viewport={"width": width, "height": height}, **options)
        contexts.append(context)
        page = context.new_page()
        page.troubles = []
        page.requests = []
        page.on("console", lambda message: page.troubles.append(message.text))
        page.on("pageerror", lambda error: page.troubles.append(str(error)))
        page.on("request", lambda request: page.requests.append(request.url))
        page.goto(f"{playground.as_uri()}#{settings}")
        page.wait_for_selector("body.ready")
        return page

    yield open_file
    for context in contexts:
        context.close()


def n_examples(page):
    return page.evaluate("playground.race.n")


def wait_for_more_than(n, page):
    while n_examples(page) <= n:
        page.wait_for_timeout(20)


def test_the_file_is_small_opens_from_a_disk_and_asks_for_nothing(open_page, playground):
    assert playground.stat().st_size <= MAX_BYTES
    page = open_page()
    wait_for_more_than(100, page)
    assert page.troubles == []
    requests = [url for url in page.requests if not url.startswith(("data:", "blob:"))]
    assert requests == [playground.as_uri()]


LEARNED = """() => {
    const { race, stream, PlaneStream } = playground;
    const begun = [...race.learner.save()];
    const tree = [...race.tree.save()];
    const same = new PlaneStream({ seed: 7, nClasses: 4, concept: 'rings', noise: 0.1 });
    const examples = Array.from({ length: 6000 }, () => [same.next(), ...same.x]);
    playground.step(6000);
    return {
        begun, tree, examples, changes: stream.changes, right: race.accuracy.right,
        treeRight: race.treeAccuracy.right, bytes: race.learner.memoryBytes,
        state: [...race.learner.save()], treeState: [...race.tree.save()],
        drifts: race.learner.drifts(), shrubs: race.learner.shrubs(),
    };
}"""


def learned_in_python(begun, X, y):
    """The learner after all examples, and how many it predicted right before."""
    learner = _core.load_state(bytes(begun))
    right = 0
    for i in range(len(y)):
        right += int(np.argmax(learner.predict_many(X[i : i + 1])[0])) == y[i]
        learner.learn_many(X[i : i + 1], y[i : i + 1])
    return learner, right


def test_its_figures_are_those_of_python(open_page):
    page = open_page("seed=7&classes=4&concept=rings&noise=0.1&paused")
    found = page.evaluate(LEARNED)
    examples = np.array(found["examples"])
    X, y = examples[:, 1:].astype(np.float32), examples[:, 0].astype(np.int64)
    learner, right = learned_in_python(found["begun"], X, y)
    assert (bytes(found["state"]), found["right"]) == (learner.to_state(b""), right)
    assert found["changes"] == [5000]
    assert found["drifts"] == [
        {"noticed": noticed, "began": began} for noticed, began, *_ in learner.drifts()
    ]
    assert sorted((shrub["born"], shrub["weight"]) for shrub in found["shrubs"]) == sorted(
        learner.members()
    )
    tree, tree_right = learned_in_python(found["tree"], X, y)
    assert (bytes(found["treeState"]), found["treeRight"]) == (tree.to_state(b""), tree_right)
    assert found["bytes"] <= 64 * 1024
    expect(page.locator("#examples")).to_have_text("6,000")
    expect(page.locator("#bytes")).to_have_text(f"{found['bytes']:,}")
    expect(page.locator("#overall")).to_contain_text(f"{100 * right / 6000:.1f} %")


def test_the_meter_stands_still_while_it_learns(open_page):
    page = open_page("paused")
    before = page.locator("#meter").inner_html(), page.locator("#bytes").inner_text()
    page.evaluate("playground.step(3000)")
    expect(page.locator("#after")).to_have_text("3,000")
    assert (page.locator("#meter").inner_html(), page.locator("#bytes").inner_text()) == before


def test_keys_pause_step_and_choose(open_page):
    page = open_page()
    wait_for_more_than(0, page)
    page.keyboard.press("Space")
    paused = n_examples(page)
    page.keyboard.press(".")
    page.keyboard.press(".")
    assert n_examples(page) == paused + 2
    page.keyboard.press("s")
    assert page.evaluate("[playground.stream.swapped, playground.stream.changes.length > 0]") == [
        1,
        True,
    ]
    concept = page.evaluate("playground.stream.concept")
    page.keyboard.press("n")
    assert page.evaluate("playground.stream.concept") != concept
    page.keyboard.press("2")
    assert page.locator("[data-tool='1']").get_attribute("aria-pressed") == "true"
    page.keyboard.press("r")
    assert n_examples(page) == 0
    assert page.troubles == []


def drag(page, start, end):
    box = page.locator("#plane").bounding_box()
    (x, y), (to_x, to_y) = (
        (box["x"] + u * box["width"], box["y"] + v * box["height"]) for u, v in (start, end)
    )
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(to_x, to_y, steps=6)
    page.mouse.up()


def test_dragging_moves_the_concept_and_one_blob_alone(open_page):
    page = open_page("concept=blobs&drift=still&paused")
    drag(page, (0.5, 0.02), (0.7, 0.12))
    shift = page.evaluate("playground.stream.shift")
    assert (round(shift["x"], 2), round(shift["y"], 2)) == (0.2, 0.1)
    centre = page.evaluate("playground.stream.centres[0]")
    place = (centre["x"] + shift["x"], centre["y"] + shift["y"])
    drag(page, place, (0.3, 0.3))
    moved = page.evaluate("playground.stream.centres[0]")
    assert round(moved["x"] + shift["x"], 2) == round(moved["y"] + shift["y"], 2) == 0.3
    assert page.evaluate("playground.stream.shift") == shift


def test_painted_places_have_the_class_that_was_painted(open_page):
    page = open_page("concept=checker&drift=still&paused")
    page.get_by_role("button", name="Paint class 3").click()
    drag(page, (0.2, 0.5), (0.8, 0.5))
    labels = "Array.from({ length: 7 }, (_, i) => playground.stream.labelAt(0.2 + i / 10, 0.5))"
    assert page.evaluate(labels) == [2] * 7
    page.evaluate("playground.step(4000)")
    assert page.evaluate("playground.race.learner.predict([0.5, 0.5])") == 2
    assert page.troubles == []


def test_a_file_of_ones_own_is_learned_to_its_end(open_page):
    page = open_page("speed=9")
    page.set_input_files(
        "#file", {"name": "pump.csv", "mimeType": "text/csv", "buffer": CSV.encode()}
    )
    expect(page.locator("#message")).to_contain_text("The end of pump.csv", timeout=20000)
    assert n_examples(page) == 900
    assert page.locator("#label").input_value() == "2"
    assert page.locator("#classes-legend .class").all_inner_texts() == ["no", "yes"]
    assert page.evaluate("playground.race.accuracy.overall") > 0.9
    page.get_by_role("button", name="Back to the plane").click()
    assert page.evaluate("playground.stream.names.join()") == "x,y"
    assert page.troubles == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a\n1\n", "bad.csv needs a header and at least two columns"),
        ("a,b\n1,2\n3\n", "row 3 of bad.csv has 1 fields, its header 2"),
        ("a,b\n1,2.5\n2,3.5\n3,\n", "bad.csv has no column that can be the class"),
        ("<img src=x onerror=alert(1)>", "bad.csv needs a header"),
    ],
)
def test_a_bad_file_is_refused_in_a_line_and_learning_goes_on(open_page, text, said):
    page = open_page()
    if "class" in said:
        text = "a,b\n" + "".join(f"{i},{i / 7}\n" for i in range(30))
    page.evaluate("text => playground.openText('bad.csv', text)", text)
    expect(page.locator("#message")).to_contain_text(said)
    wait_for_more_than(n_examples(page), page)
    assert page.troubles == []


def background(page):
    return page.evaluate("getComputedStyle(document.body).backgroundColor")


def test_light_and_dark_follow_the_system_and_the_reader(open_page):
    page = open_page(color_scheme="dark")
    assert background(page) == "rgb(13, 16, 19)"
    page.locator("#theme").click()
    assert background(page) == "rgb(245, 247, 245)"
    assert page.troubles == []


@pytest.mark.parametrize("width", [320, 390, 768])
def test_a_narrow_screen_does_not_scroll_sideways_and_paints_by_touch(open_page, width):
    page = open_page("drift=still&paused", width=width, height=844, has_touch=True)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.get_by_role("button", name="Paint class 1").tap()
    page.locator("#plane").tap(position={"x": 100, "y": 100})
    assert page.evaluate("playground.stream.painted.some(label => label === 0)")


def test_every_control_has_a_name(open_page):
    page = open_page("paused")
    nameless = """() => [...document.querySelectorAll('button, select, input')].filter(
        control => !(control.ariaLabel || control.textContent.trim() || control.labels?.length))
        .map(control => control.id)"""
    assert page.evaluate(nameless) == []
