"""A run as ns-3's NetAnim reads it, made from its events: the form of version 3.109.

Nodes, where they are (twice a second while they move), their state as a colour, who has the token
as a description, and messages from when they were sent to when they arrived.
"""

from __future__ import annotations

import json
from collections import defaultdict, deque
from collections.abc import Iterator
from pathlib import Path
from xml.sax.saxutils import quoteattr

from .recording import TICKS, Recording, read

_STEP = TICKS // 2
_COLOURS = {"thinks": (180, 190, 201), "waits": (230, 159, 0), "inside": (0, 158, 115)}

Line = tuple[int, str]


def write_netanim(folder: Path, target: Path) -> None:
    """Writes the run in a folder as XML."""
    events = folder / "events.jsonl"
    with events.open(encoding="utf-8") as lines:
        recording = read(lines, 1)
    with target.open("w", encoding="utf-8") as out:
        out.write('<?xml version="1.0" encoding="UTF-8"?>\n')
        out.write('<anim ver="netanim-3.109" filetype="animation">\n')
        for text in _nodes(recording):
            out.write(text + "\n")
        changes = [*_places(recording), *_states(recording), *_token(recording), *_messages(events)]
        for _, text in sorted(changes, key=lambda line: line[0]):
            out.write(text + "\n")
        out.write("</anim>\n")


def _element(name: str, **attributes: object) -> str:
    # Names that Python or XML would not have are written with an underscore.
    pairs = " ".join(
        f"{key.replace('_', '-')}={quoteattr(str(value))}" for key, value in attributes.items()
    )
    return f"<{name} {pairs}/>"


def _seconds(ticks: int) -> str:
    return f"{ticks / TICKS:.4f}"


def _nodes(recording: Recording) -> Iterator[str]:
    """Where nodes are first, and how large they are drawn: NetAnim counts in metres."""
    first = {motion[1]: motion for motion in reversed(recording.motions)}
    wide = max((abs(motion[2]) for motion in recording.motions), default=100.0)
    for node in range(recording.nodes):
        _, _, x, y, _, _ = first.get(node, (0, node, 0.0, 0.0, 0.0, 0.0))
        yield _element("node", id=node, sysId=0, locX=f"{x:.3f}", locY=f"{y:.3f}")
        size = f"{wide / 40:.2f}"
        yield _element("nu", p="s", t=0, id=node, w=size, h=size)
        yield _colour(0, node, "thinks")[1]


def _places(recording: Recording) -> Iterator[Line]:
    last: dict[int, tuple[int, int, float, float, float, float]] = {}
    end = [(recording.shown, node, 0.0, 0.0, 0.0, 0.0) for node in range(recording.nodes)]
    for motion in [*recording.motions, *end]:
        node = motion[1]
        if node in last:
            since, _, x, y, vx, vy = last[node]
            step = _STEP if vx or vy else max(motion[0] - since, 1)
            for time in range(since, motion[0], step):
                passed = (time - since) / TICKS
                place = {"x": f"{x + vx * passed:.3f}", "y": f"{y + vy * passed:.3f}"}
                yield time, _element("nu", p="p", t=_seconds(time), id=node, **place)
        last[node] = motion


def _states(recording: Recording) -> Iterator[Line]:
    for visit in recording.visits:
        yield _colour(visit.begin, visit.node, "inside" if visit.inside else "waits")
        if visit.inside:
            yield _colour(visit.end, visit.node, "thinks")


def _colour(time: int, node: int, state: str) -> Line:
    r, g, b = _COLOURS[state]
    return time, _element("nu", p="c", t=_seconds(time), id=node, r=r, g=g, b=b)


def _token(recording: Recording) -> Iterator[Line]:
    before = None
    for time, node, _ in recording.tokens:
        if before is not None and before != node:
            yield time, _element("nu", p="d", t=_seconds(time), id=before, descr=str(before))
        yield time, _element("nu", p="d", t=_seconds(time), id=node, descr=f"{node}: token")
        before = node


def _messages(events: Path) -> Iterator[Line]:
    """Messages between two nodes arrive in the order in which they were sent, if they do."""
    under_way: dict[tuple[int, int, str], deque[float]] = defaultdict(deque)
    with events.open(encoding="utf-8") as lines:
        for event in map(json.loads, lines):
            if event["event"] == "send":
                under_way[event["node"], event["peer"], event["kind"]].append(event["t"])
            elif event["event"] == "recv":
                sent = under_way[event["peer"], event["node"], event["kind"]]
                if sent:
                    yield _message(
                        event["peer"], event["node"], event["kind"], sent.popleft(), event["t"]
                    )
            elif event["event"] == "link_down":
                # What has not arrived by now does not.
                for key in [key for key in under_way if key[:2] == (event["node"], event["peer"])]:
                    del under_way[key]


def _message(sender: int, receiver: int, kind: str, sent: float, arrived: float) -> Line:
    begin, end = f"{sent:.9f}", f"{arrived:.9f}"
    return round(sent * TICKS), _element(
        "p", fId=sender, fbTx=begin, lbTx=begin, meta_info=kind, tId=receiver, fbRx=end, lbRx=end
    )
