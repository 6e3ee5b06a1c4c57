"""The names of results in words that people use, and how many digits they deserve."""

from __future__ import annotations

import json
from typing import Any

WORDS: dict[str, str] = {
    "protocol": "protocol",
    "preset": "preset",
    "nodes": "nodes",
    "seed": "seed",
    "duration": "seconds in which nodes request",
    "warmup": "seconds before the first requests",
    "discard": "seconds that are not measured",
    "grace": "seconds to serve what is pending",
    "speed": "speed, m/s",
    "pause": "pause at each turn, s",
    "side": "side of the field, m",
    "think": "mean time between visits, s",
    "stay": "time inside, s",
    "hello": "time between hellos, s",
    "margin": "margin, dB",
    "hysteresis": "hysteresis, dB",
    "groups": "groups",
    "k": "units",
    "requests": "requests",
    "entries": "critical sections",
    "unserved": "unserved requests",
    "wait_mean_s": "wait, mean, s",
    "wait_p50_s": "wait, median, s",
    "wait_p95_s": "wait, 95th percentile, s",
    "wait_p99_s": "wait, 99th percentile, s",
    "wait_max_s": "wait, longest, s",
    "messages_per_entry": "messages per critical section",
    "messages_by_kind": "messages by kind",
    "frames_per_entry": "frames per critical section",
    "frames_by_kind": "frames by kind",
    "bytes_per_entry": "bytes on the air per critical section",
    "hello_airtime": "share of the air taken by hellos",
    "hello_bytes": "bytes of a hello",
    "airtime_s": "time on the air, s",
    "inside_mean": "inside at once, mean while somebody is",
    "inside_max": "inside at once, most",
    "token_moves": "moves of the token",
    "link_ups": "link ends formed",
    "link_downs": "link ends closed",
    "link_downs_by_cause": "link ends closed, by cause",
    "doubts": "messages in doubt",
    "demotions": "demoted as a link formed",
    "exposed_s": "inside with somebody in range, without a link, s",
    "exposed_near_s": "the same within reach of a link, s",
    "routing": "routing",
    "unresolved": "messages in doubt, unresolved",
    "unknown_peers": "frames of unknown peers",
    "violations": "violations",
    "first_violation": "first violation",
    "partitions_s": "in parts, s",
    "connected_in_range": "connected in range, share of time",
    "connected_by_links": "connected by links, share of time",
    "degree_in_range": "nodes in range of a node",
    "degree_by_links": "links of a node",
    "diameter_in_range": "hops across, in range",
    "diameter_by_links": "hops across, by links",
    "ns3_version": "ns-3",
    "commit": "commit",
    "options": "options",
    "wall_s": "wall-clock time, s",
    "sim_s_per_cpu_s": "simulated seconds per second of processor time",
}


def words(name: str) -> str:
    """A result's name in words; its own name if there are none."""
    return WORDS.get(name, name.replace("_", " "))


def shown(value: Any) -> str:
    """A value as people read it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, dict):
        return ", ".join(f"{key} {shown(item)}" for key, item in value.items()) or "none"
    return str(value) if value != "" else "none"


def exact(value: Any) -> str:
    """A value as JSON, for programs that read the page."""
    return json.dumps(value)
