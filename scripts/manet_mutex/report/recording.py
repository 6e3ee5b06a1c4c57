"""What happened in a run, from its ``events.jsonl``: small enough for a page, in one pass.

Knows the fields of events, not the protocols: whoever writes request, enter, release and so on can
be shown. Unknown events are passed over. Only the standard library, as every ``scripts/run`` calls
this.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Optional

TICKS = 10_000
"""Ticks in a second. Times on a page are whole ticks."""

MOST_CHANGES = 200_000
"""Changes (links, motions, visits, tokens) that a replay shows; it ends where there are more."""

MOST_MESSAGES = 60_000
"""Messages that a replay shows. Kinds that are too frequent are left out."""

BINS = 120
"""Into which counts over time are put."""

Event = dict[str, Any]


@dataclass
class Visit:
    """A time that a node spends waiting or inside."""

    node: int
    inside: bool
    begin: int
    end: int
    demand: int
    """Where in ``Recording.demands``."""


@dataclass
class Recording:
    """What a page shows of a run. Times are in ticks."""

    nodes: int = 0
    end: int = 0
    """When the run ended."""
    shown: int = 0
    """When its replay ends."""
    motions: list[tuple[int, int, float, float, float, float]] = field(default_factory=list)
    """Time, node, place and speed, in metres and metres per second."""
    links: list[tuple[int, int, int, int]] = field(default_factory=list)
    """Time, both ends, and 1 if it came up at both of them or 0 if it did not stay so."""
    tokens: list[tuple[int, int, int]] = field(default_factory=list)
    """Time, who has it now, and from whom."""
    pointers: list[tuple[int, int, int]] = field(default_factory=list)
    """Time, node, and whom it would ask; itself if nobody."""
    visits: list[Visit] = field(default_factory=list)
    demands: list[str] = field(default_factory=list)
    """What was asked for, in words; exclusive demands need none."""
    messages: dict[str, list[tuple[int, int, int]]] = field(default_factory=dict)
    """By kind: time, sender and receiver."""
    waits: list[float] = field(default_factory=list)
    """Of every entry, in seconds, in the order of entries."""
    sent: Counter[str] = field(default_factory=Counter)
    """Messages by kind."""
    causes: Counter[str] = field(default_factory=Counter)
    """Ends of links that closed, by cause."""
    doubts: list[tuple[int, int, int]] = field(default_factory=list)
    """Time, node, and 1 if a message of it is in doubt or 0 if no longer."""
    bin: float = 1.0
    """Seconds of a bin."""
    sent_by_time: dict[str, list[int]] = field(default_factory=dict)
    """Messages by kind and bin."""
    ups_by_time: list[int] = field(default_factory=list)
    downs_by_time: list[int] = field(default_factory=list)


def read(lines: Iterable[str], seconds: float) -> Recording:
    """Reads events in the order of time; ``seconds`` is about how long the run was."""
    reader = _Reader(seconds)
    for line in lines:
        if line.strip():
            reader.take(json.loads(line))
    return reader.finish()


class _Reader:
    def __init__(self, seconds: float) -> None:
        self.recording = Recording(bin=max(seconds, 1e-3) / BINS)
        self.recording.ups_by_time = [0] * BINS
        self.recording.downs_by_time = [0] * BINS
        self.now = 0
        self.full = False
        self.changes = 0
        self.messages = 0
        self.ends: dict[tuple[int, int], int] = {}
        self.open: dict[int, Visit] = {}
        self.asked: dict[int, float] = {}
        self.names: dict[str, int] = {}
        self.sinks: dict[str, Callable[[int, Event], None]] = {
            "request": self.request,
            "enter": self.enter,
            "release": self.release,
            "demote": self.demote,
            "link_up": self.link_up,
            "link_down": self.link_down,
            "send": self.send,
            "token": self.token,
            "towards": self.pointer,
            "move": self.motion,
            "stop": self.motion,
            "doubt": self.doubt,
            "resolved": self.doubt,
        }

    def take(self, event: Event) -> None:
        self.now = round(event["t"] * TICKS)
        node: int = event["node"]
        if node >= self.recording.nodes:
            self.recording.nodes = node + 1
        sink = self.sinks.get(event["event"])
        if sink is not None:
            sink(node, event)

    def finish(self) -> Recording:
        recording = self.recording
        recording.end = self.now
        if not self.full:
            recording.shown = self.now
        for node in list(self.open):
            self.close(node)
        self.sort_demands()
        return recording

    def sort_demands(self) -> None:
        """By their words, not by who came first."""
        words = sorted(self.names)
        places = {self.names[word]: place for place, word in enumerate(words)}
        for visit in self.recording.visits:
            visit.demand = places[visit.demand]
        self.recording.demands = words

    def fits(self) -> bool:
        """Whether the replay has room for one more change."""
        if not self.full and self.changes >= MOST_CHANGES:
            self.full = True
            self.recording.shown = self.now
        self.changes += 1
        return not self.full

    def bin(self) -> int:
        return min(int(self.now / TICKS / self.recording.bin), BINS - 1)

    def request(self, node: int, event: Event) -> None:
        self.asked[node] = event["t"]
        self.begin(node, False, _demand(event))

    def enter(self, node: int, event: Event) -> None:
        if node in self.asked:
            self.recording.waits.append(event["t"] - self.asked.pop(node))
        self.begin(node, True, _demand(event))

    def release(self, node: int, _event: Event) -> None:
        self.close(node)

    def demote(self, node: int, event: Event) -> None:
        """Back to waiting, for the same as before."""
        self.asked[node] = event["t"]
        inside = self.open.get(node)
        self.begin(node, False, self.words(inside.demand) if inside else "")

    def begin(self, node: int, inside: bool, demand: str) -> None:
        self.close(node)
        number = self.names.setdefault(demand, len(self.names))
        self.open[node] = Visit(node, inside, self.now, self.now, number)

    def close(self, node: int) -> None:
        visit = self.open.pop(node, None)
        if visit and self.fits():
            visit.end = self.now
            self.recording.visits.append(visit)

    def words(self, demand: int) -> str:
        return list(self.names)[demand]

    def link_up(self, node: int, event: Event) -> None:
        self.recording.ups_by_time[self.bin()] += 1
        self.link(node, event["peer"], up=True)

    def link_down(self, node: int, event: Event) -> None:
        self.recording.downs_by_time[self.bin()] += 1
        self.recording.causes[event.get("cause", "unknown")] += 1
        self.link(node, event["peer"], up=False)

    def link(self, node: int, peer: int, up: bool) -> None:
        """A link is there as long as it is up at both ends."""
        pair = (min(node, peer), max(node, peer))
        before = self.ends.get(pair, 0)
        end = 1 if node < peer else 2
        after = before | end if up else before & ~end
        self.ends[pair] = after
        if (before == 3) != (after == 3) and self.fits():
            self.recording.links.append((self.now, *pair, int(after == 3)))

    def send(self, node: int, event: Event) -> None:
        recording = self.recording
        kind: str = event["kind"]
        recording.sent[kind] += 1
        if kind not in recording.sent_by_time:
            recording.sent_by_time[kind] = [0] * BINS
            recording.messages[kind] = []
        recording.sent_by_time[kind][self.bin()] += 1
        if kind in recording.messages and not self.full:
            recording.messages[kind].append((self.now, node, event["peer"]))
            self.messages += 1
            if self.messages > MOST_MESSAGES:
                most = max(recording.messages, key=lambda name: len(recording.messages[name]))
                self.messages -= len(recording.messages.pop(most))

    def token(self, node: int, event: Event) -> None:
        if self.fits():
            self.recording.tokens.append((self.now, node, event["peer"]))

    def pointer(self, node: int, event: Event) -> None:
        if self.fits():
            self.recording.pointers.append((self.now, node, event.get("peer", node)))

    def motion(self, node: int, event: Event) -> None:
        if self.fits():
            place = (event["x"], event["y"], event["vx"], event["vy"])
            self.recording.motions.append((self.now, node, *place))

    def doubt(self, node: int, event: Event) -> None:
        if self.fits():
            self.recording.doubts.append((self.now, node, int(event["event"] == "doubt")))


def _demand(event: Event) -> str:
    """What is asked for, in words."""
    resource: Optional[int] = event.get("resource")
    units: Optional[int] = event.get("units")
    if resource is not None:
        return f"group {resource}"
    if units is not None:
        return f"{units} unit{'s' if units != 1 else ''}"
    return ""
