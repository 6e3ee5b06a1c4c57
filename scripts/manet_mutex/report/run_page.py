"""The page of one run: a replay, charts, and the summary."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from . import page
from .recording import TICKS, Recording, read
from .words import exact, shown, words

_SCRIPTS = ("recording.js", "replay.js", "player.js", "run.js")
_CARDS = (
    ("entries", "critical sections"),
    ("wait_mean_s", "s waited, mean"),
    ("wait_p95_s", "s waited, 95th percentile"),
    ("messages_per_entry", "messages per critical section"),
    ("inside_max", "inside at once, most"),
    ("doubts", "messages in doubt"),
    ("violations", "violations"),
)


def write_run_report(folder: Path) -> Path:
    """Writes ``report.html`` of the run in a folder, which has its summary and its events."""
    summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    with (folder / "events.jsonl").open(encoding="utf-8") as lines:
        recording = read(lines, summary["duration"])
    path = folder / "report.html"
    title = f"{summary['protocol']} on {summary['nodes']} nodes"
    page.write(path, title, _body(title, summary, recording), _SCRIPTS, _data(summary, recording))
    return path


def _data(summary: Mapping[str, Any], recording: Recording) -> dict[str, Any]:
    return {
        "summary": summary,
        "ticks": TICKS,
        "nodes": max(recording.nodes, summary["nodes"]),
        "end": recording.end,
        "shown": recording.shown,
        "field": _field(recording),
        "motions": _columns(recording.motions, ("n", "x", "y", "vx", "vy")),
        "links": _columns(recording.links, ("a", "b", "up")),
        "tokens": _columns(recording.tokens, ("n", "from")),
        "pointers": _columns(recording.pointers, ("n", "to")),
        "doubts": _columns(recording.doubts, ("n", "open")),
        "visits": _visits(recording),
        "demands": recording.demands,
        "messages": {kind: _columns(rows, ("a", "b")) for kind, rows in recording.messages.items()},
        "waits": histogram(recording.waits),
        "entries": len(recording.waits),
        "sent": recording.sent,
        "bin": recording.bin,
        "sent_by_time": recording.sent_by_time,
        "ups": recording.ups_by_time,
        "downs": recording.downs_by_time,
    }


def _columns(rows: Iterable[Sequence[float]], names: Sequence[str]) -> dict[str, list[float]]:
    """Rows whose first entry is a time, as columns; times as differences, which are short."""
    result: dict[str, list[float]] = {"t": [], **{name: [] for name in names}}
    before = 0.0
    for time, *values in rows:
        result["t"].append(time - before)
        before = time
        for name, value in zip(names, values):
            result[name].append(value)
    return result


def _visits(recording: Recording) -> dict[str, list[float]]:
    ordered = sorted(recording.visits, key=lambda visit: (visit.begin, visit.node))
    rows = (
        (visit.begin, visit.node, int(visit.inside), visit.end - visit.begin, visit.demand)
        for visit in ordered
    )
    return _columns(rows, ("n", "w", "l", "d"))


def _field(recording: Recording) -> list[float]:
    """A rectangle that nodes do not leave: left, low, right, high."""
    ends: list[tuple[float, float]] = []
    last: dict[int, tuple[int, int, float, float, float, float]] = {}
    for motion in recording.motions:
        ends.append((motion[2], motion[3]))
        last[motion[1]] = motion
    for time, _, x, y, vx, vy in last.values():
        passed = (recording.shown - time) / TICKS
        ends.append((x + vx * passed, y + vy * passed))
    if not ends:
        return [0, 0, 1, 1]
    xs, ys = zip(*ends)
    return [min(xs), min(ys), max(xs), max(ys)]


def histogram(waits: Sequence[float]) -> dict[str, list[float]]:
    """Counts in bins whose widths grow with the waits: five for each power of ten."""
    if not waits:
        return {"edges": [], "counts": []}
    places = [math.floor(5 * math.log10(max(wait, 1e-4))) for wait in waits]
    first, last = min(places), max(places)
    counts: list[float] = [0] * (last - first + 1)
    for place in places:
        counts[place - first] += 1
    return {"edges": [10 ** (i / 5) for i in range(first, last + 2)], "counts": counts}


def _body(title: str, summary: Mapping[str, Any], recording: Recording) -> str:
    return f"""
<header class="top"><div>
<h1>{escape(title)}</h1>
<p class="quiet">preset {escape(summary["preset"])}, seed {summary["seed"]},
{recording.end / TICKS:.1f} simulated seconds, ns-3 {escape(summary["ns3_version"])},
commit {escape(summary["commit"] or "unknown")}{_discarded(summary)}</p></div>
{_verdict(summary)}
<button id="theme" aria-label="switch between light and dark">Dark</button>
</header>
<main>
<div class="numbers">{_cards(summary)}</div>
{_replay(recording)}
<section class="card"><h2>Critical sections</h2>
<p class="quiet">Who waited and who was inside, and when. Click to move the replay there; drag to
look closer, double-click to see all.</p>
<div class="chart"><div id="timeline"></div><div class="cursor" id="cursor"></div></div></section>
<div class="pair">
{_chart("waits", "Waits", "How long entries were waited for.")}
{_chart("messages", "Messages", "Sent by the protocol, by kind.")}
{_chart("traffic", "Traffic", "The same over time.")}
{_links_chart(recording)}
</div>
<section class="card"><h2>Summary</h2>
<p class="quiet">As in <code>summary.json</code>.</p>
<div class="columns" id="summary">{_values(_results(summary))}</div></section>
<section class="card"><h2>Options</h2>
<p class="quiet">Of the scenario: what was asked for, what the preset says, and what is usual.</p>
<div class="columns" id="options">{_values(summary.get("options", {}))}</div></section>
</main>
<footer>Made by manet-mutex. This file is complete: it needs no network.</footer>
"""


def _discarded(summary: Mapping[str, Any]) -> str:
    seconds = summary.get("options", {}).get("discard", 0)
    if not seconds:
        return ""
    return f""". Numbers leave out the first {seconds:g} s; the replay and the charts show them."""


def _verdict(summary: Mapping[str, Any]) -> str:
    broken = [name for name in ("violations", "unserved", "unresolved") if summary.get(name)]
    if not broken:
        return '<span class="badge good">all promises kept</span>'
    text = ", ".join(f"{words(name)}: {summary[name]}" for name in broken)
    return f'<span class="badge bad">{escape(text)}</span>'


def _cards(summary: Mapping[str, Any]) -> str:
    return "".join(
        f'<div><b data-key="{name}" data-value="{escape(exact(summary[name]))}">'
        f"{escape(shown(summary[name]))}</b><span>{text}</span></div>"
        for name, text in _CARDS
        if name in summary
    )


def _results(summary: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in summary.items() if name != "options"}


def _values(values: Mapping[str, Any]) -> str:
    return page.table(
        (
            escape(words(name)),
            f'<td data-key="{escape(name)}" data-value="{escape(exact(value))}">'
            f"{escape(shown(value))}</td>",
        )
        for name, value in values.items()
    )


def _chart(name: str, title: str, text: str) -> str:
    return f"""<section class="card"><h2>{title}</h2><p class="quiet">{text}</p>
<div class="chart" id="{name}"></div></section>"""


def _links_chart(recording: Recording) -> str:
    if not recording.links:
        return ""
    causes = ", ".join(f"{cause} {count}" for cause, count in sorted(recording.causes.items()))
    text = "That came up, and below the line that closed."
    if causes:
        text += f" Ends that closed, by cause: {escape(causes)}."
    return _chart("links", "Links", text)


def _replay(recording: Recording) -> str:
    limit = ""
    if recording.shown < recording.end:
        limit = f""" <b>Shown are the first {recording.shown / TICKS:.0f} of
{recording.end / TICKS:.0f} s</b>: there is more than a page can hold. The numbers and the charts
of waits, messages and links are of all of it."""
    token = any(node != origin for _, node, origin in recording.tokens)
    holder = '<div><h3>The token</h3><span class="who" id="token"></span></div>' if token else ""
    links = '<div><h3>Links</h3><span class="who" id="link-count"></span></div>'
    mark = (
        '<li><i style="background:var(--token);border-radius:2px;transform:rotate(45deg) '
        'scale(.75)"></i>the token</li>'
    )
    arrows = '<li><i class="bar" style="background:var(--pointer)"></i>would ask</li>'
    return f"""<section class="card"><h2>Replay</h2>
<p class="quiet">Nodes where they were{", with their links," if recording.links else ""} and
messages on their way.{limit}</p>
<div class="replay"><div>
<div class="stage"><canvas id="stage" role="img" aria-label="Nodes on the plane at the time that the
slider shows; what matters is told beside it"></canvas><div class="clock" id="clock"></div></div>
<div class="slider"><canvas id="strip" aria-hidden="true"></canvas>
<input type="range" id="time" min="0" max="1" step="any" value="0" aria-label="simulated time">
</div>
<div class="controls"><button class="main" id="play" aria-pressed="false">Play</button>
<button id="back" title="to the entry before">&#9664; entry</button>
<button id="forward" title="to the next entry">entry &#9654;</button>
<label>speed <select id="speed">{_speeds()}</select></label>
<span class="quiet"><kbd>space</kbd> play <kbd>&#8592;</kbd> <kbd>&#8594;</kbd> move
<kbd>,</kbd> <kbd>.</kbd> entries <kbd>+</kbd> <kbd>-</kbd> speed</span></div>
</div>
<div class="panel">
<div><h3>Inside: <span id="inside-count"></span></h3><div class="chips" id="inside"></div></div>
<div><h3>Waiting: <span id="waiting-count"></span>, longest first</h3>
<div class="chips" id="waiting"></div></div>
{holder}
{links if recording.links else ""}
<div><h3>Selected</h3><span class="who" id="selected"></span></div>
<div><ul class="legend" id="states">
<li><i style="background:var(--idle)"></i>thinks</li>
<li><i style="border:3px solid var(--waiting)"></i>waits</li>
<li id="one-inside"><i style="background:var(--inside);box-shadow:0 0 0 3px
color-mix(in srgb, var(--inside) 30%, transparent)"></i>inside</li>
{mark if token else ""}{arrows if recording.pointers else ""}</ul>
<ul class="legend" id="kinds" style="margin-top:4px"></ul></div>
</div></div></section>"""


def _speeds() -> str:
    speeds = (
        (0.01, "1/100"),
        (0.1, "1/10"),
        (0.5, "1/2"),
        (1, "1"),
        (2, "2"),
        (5, "5"),
        (20, "20"),
    )
    return "".join(
        f'<option value="{speed}"{" selected" if speed == 1 else ""}>{text} &times;</option>'
        for speed, text in speeds
    )
