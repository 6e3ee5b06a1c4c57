"""Pages in a real browser: Chromium, without a window."""

import json
import shutil

import pytest
from manet_mutex import sweep

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
pytestmark = pytest.mark.skipif(
    CHROMIUM is None, reason="NOT RUN: there is no Chromium on the PATH"
)


@pytest.fixture(scope="module")
def browser():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        # Its sandbox needs rights that containers do not have; the pages are our own.
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def visit(browser):
    """Opens a page from disk and waits for its charts; nothing may be complained of or fetched."""
    complaints = []
    pages = []

    def go(path, **options):
        page = browser.new_page(viewport={"width": 1280, "height": 900}, **options)
        pages.append(page)
        page.on("console", lambda message: complaints.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: complaints.append(f"error: {error}"))
        page.on("request", lambda request: note(request.url))
        page.goto(path.as_uri())
        page.wait_for_function(
            "document.documentElement.dataset.charts === 'drawn'", timeout=60_000
        )
        return page

    def note(url):
        if not url.startswith(("file:", "data:", "blob:")):
            complaints.append(f"fetched {url}")

    yield go
    for page in pages:
        page.close()
    assert complaints == []


def picture(page):
    """What the replay shows."""
    return page.evaluate("byId('stage').toDataURL()")


def values(page, box):
    """What a table of values says to programs."""
    cells = "cells => cells.map(cell => [cell.dataset.key, cell.dataset.value])"
    shown = page.eval_on_selector_all(f"{box} [data-key]", cells)
    return {name: json.loads(value) for name, value in shown}


def test_numbers_are_those_of_the_summary(visit, recorded):
    page = visit(recorded / "report.html")
    summary = json.loads((recorded / "summary.json").read_text())
    options = values(page, "#options")
    assert {**values(page, "#summary"), "options": options} == summary
    assert options["think"] in (1, 2)
    cards = page.eval_on_selector_all(
        ".numbers [data-key]", "cells => cells.map(cell => [cell.dataset.key, cell.textContent])"
    )
    assert len(cards) >= 6
    for name, text in cards:
        assert float(text) == pytest.approx(summary[name], rel=1e-3), name
    bars = page.evaluate("byId('messages').data[0]")
    assert dict(zip(bars["y"], bars["x"])) == summary["messages_by_kind"]
    assert sum(page.evaluate("byId('waits').data[0].y")) == summary["entries"]
    assert "all promises kept" in page.inner_text("header")


def test_the_slider_moves_the_replay(visit, walk):
    page = visit(walk / "report.html")
    events = [json.loads(line) for line in (walk / "events.jsonl").open()]
    enter = next(event for event in events if event["event"] == "enter" and event["t"] > 6)
    before = picture(page)
    page.eval_on_selector(
        "#time",
        "(slider, time) => { slider.value = time; slider.dispatchEvent(new Event('input')); }",
        enter["t"] + 0.01,
    )
    assert picture(page) != before
    assert page.inner_text("#clock") == f"{enter['t'] + 0.01:.2f} s"
    assert page.inner_text("#inside").split() == [str(enter["node"])]
    holder = [event for event in events if event["event"] == "token" and event["t"] <= enter["t"]]
    assert page.inner_text("#token") == f"node {holder[-1]['node']}"
    x, y = page.evaluate(f"recording.place({enter['node']}, {enter['t']})")
    motion = [e for e in events if e["event"] in ("move", "stop") and e["node"] == enter["node"]]
    last = [event for event in motion if event["t"] <= enter["t"]][-1]
    passed = enter["t"] - last["t"]
    assert x == pytest.approx(last["x"] + last["vx"] * passed, abs=0.01)
    assert y == pytest.approx(last["y"] + last["vy"] * passed, abs=0.01)


def test_links_are_those_of_the_events(visit, walk):
    page = visit(walk / "report.html")
    ends = set()
    for line in (walk / "events.jsonl").open():
        event = json.loads(line)
        if event["t"] > 7:
            break
        if event["event"] == "link_up":
            ends.add((event["node"], event["peer"]))
        if event["event"] == "link_down":
            ends.discard((event["node"], event["peer"]))
    links = sum((b, a) in ends for a, b in ends) // 2
    # There and back, as a reader does.
    for time in (7, 9, 7):
        page.evaluate(f"seek({time})")
    assert int(page.inner_text("#link-count")) == links > 5


def test_keys(visit, walk):
    page = visit(walk / "report.html")
    time = "Number(byId('time').value)"
    page.keyboard.press("Home")
    assert page.evaluate(time) == 0
    page.keyboard.press("ArrowRight")
    assert page.evaluate(time) == 0.5
    page.keyboard.press(".")
    entered = page.evaluate(time)
    assert entered > 0.5 and page.inner_text("#inside") != "nobody"
    page.keyboard.press("Space")
    assert page.inner_text("#play") == "Pause"
    page.wait_for_function(f"{time} > {entered}")
    page.keyboard.press("Space")
    assert page.inner_text("#play") == "Play"
    page.keyboard.press("+")
    assert page.evaluate("player.speed") == 2
    # Controls are reached in order, and do what keys do on them.
    page.focus("#play")
    page.keyboard.press("Enter")
    assert page.inner_text("#play") == "Pause"


def test_play_ends_at_the_end(visit, walk):
    page = visit(walk / "report.html")
    page.evaluate("player.speed = 20; seek(recording.end - 0.5); play(true)")
    page.wait_for_function("!player.playing")
    assert page.evaluate("player.time === recording.end")


def test_dark_and_light(visit, walk):
    page = visit(walk / "report.html", color_scheme="dark")
    shade = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(shade)
    page.click("#theme")
    assert page.evaluate(shade) != dark


def test_a_campaign(visit, tmp_path, capsys):
    file, out = tmp_path / "c.toml", tmp_path / "out"
    file.write_text(
        'title = "C <&> D"\nseeds = "1-3"\n[common]\npreset = "ideal"\nduration = 10\n'
        '[[grid]]\nprotocol = ["rl", "gme"]\nthink = [1, 4]\n'
        '[[compare]]\naxis = "protocol"\nmetric = "wait_mean_s"\n'
    )
    assert sweep.main([str(file), "--out", str(out)]) == 0
    page = visit(out / "report.html")
    assert page.inner_text("h1") == "C <&> D"
    table = (out / "table.csv").read_text().splitlines()
    names = table[0].split(",")
    traces = page.evaluate("byId('plot-0').data.map(t => [t.name, t.x, t.y, t.error_y.array])")
    shown = {
        (name, x): (y, half)
        for name, xs, ys, halves in traces
        for x, y, half in zip(xs, ys, halves)
    }
    expected = {}
    for line in table[1:]:
        row = dict(zip(names, line.split(",")))
        point = (row["protocol"], int(row["think"]))
        expected[point] = (float(row["wait_mean_s"]), float(row["wait_mean_s_ci95"]))
    assert shown == expected and len(shown) == 4
    assert page.locator("#table tbody tr").count() == 4
    assert page.locator("#comparisons tbody tr").count() == 2
    assert page.locator("#runs tbody tr").count() == 12
