"""One file with everything in it: style, programs, data, and the library that draws charts.

Charts are drawn by Plotly.js: interactive, with error bars, and its Python package brings it as one
file, so nothing has to be downloaded or kept here. It is large (5 MB), so a page carries it packed
(2 MB) and unpacks it when charts are to be drawn; the replay, which needs no library, is there at
once.
"""

from __future__ import annotations

import base64
import importlib.util
import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from ..project import NotReady

_ASSETS = Path(__file__).parent / "assets"


def write(
    path: Path, title: str, body: str, scripts: Sequence[str], data: Mapping[str, Any]
) -> None:
    """Writes a page whose ``body`` is HTML and whose ``scripts`` are names of assets.

    Appears in one piece: whoever looks at the file while it is written sees the old one.
    """
    parts = {
        "title": escape(title),
        "style": _asset("page.css"),
        "body": body,
        "data": _inline_json(data),
        "library": _library(),
        "scripts": "\n".join(_asset(name) for name in ("common.js", *scripts)),
    }
    page = _asset("page.html")
    pieces = []
    # Not by one replacement after the other: what is filled in may contain the marks.
    while page:
        text, found, rest = page.partition("{{")
        name, _, page = rest.partition("}}")
        pieces += [text, parts[name] if found else ""]
    new = path.with_name(path.name + ".new")
    new.write_text("".join(pieces), encoding="utf-8")
    new.replace(path)


def table(rows: Iterable[Sequence[str]], head: Sequence[str] = (), classes: str = "") -> str:
    """An HTML table of cells that are HTML already; the first of each row is its heading."""
    lines = [f'<table class="{classes}">']
    if head:
        cells = "".join(f'<th scope="col">{cell}</th>' for cell in head)
        lines.append(f"<thead><tr>{cells}</tr></thead>")
    lines.append("<tbody>")
    for first, *rest in rows:
        cells = "".join(cell if cell.startswith("<td") else f"<td>{cell}</td>" for cell in rest)
        lines.append(f'<tr><th scope="row">{first}</th>{cells}</tr>')
    lines.append("</tbody></table>")
    return "\n".join(lines)


def _asset(name: str) -> str:
    return (_ASSETS / name).read_text(encoding="utf-8")


def _inline_json(data: Mapping[str, Any]) -> str:
    """JSON that may stand inside a script element."""
    return json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")


def _library() -> str:
    """Plotly.js, packed, as text."""
    spec = importlib.util.find_spec("plotly")
    if spec is None or not spec.submodule_search_locations:
        raise NotReady("the Python package plotly is not installed here: run scripts/setup")
    folder = Path(next(iter(spec.submodule_search_locations)))
    script = folder / "package_data/plotly.min.js"
    # The usual form of gzip, so that browsers can unpack it. A higher level gains a tenth in
    # size and takes five times as long.
    packer = zlib.compressobj(level=4, wbits=31)
    packed = packer.compress(script.read_bytes()) + packer.flush()
    return base64.b64encode(packed).decode("ascii")
