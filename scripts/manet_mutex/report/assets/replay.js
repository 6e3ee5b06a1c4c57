// The replay: nodes on the plane, drawn at any time of the run.

class Stage {
  constructor(canvas, recording) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    this.recording = recording;
    this.selected = null;
    this.hasToken = recording.tokens.n.some((node, i) => node !== recording.tokens.from[i]);
    this.groups = data.demands.length > 1;
    this.kinds = Object.keys(data.messages).sort();
    new ResizeObserver(() => this.redraw()).observe(canvas);
    themeListeners.push(() => this.redraw());
    canvas.addEventListener("click", (event) => this.click(event));
  }

  redraw() {
    if (this.time !== undefined) this.draw(this.time, this.speed);
  }

  /** Fits the field into the canvas. */
  fit() {
    const ratio = devicePixelRatio || 1,
      { clientWidth: width, clientHeight: height } = this.canvas;
    if (
      this.canvas.width !== Math.round(width * ratio) ||
      this.canvas.height !== Math.round(height * ratio)
    ) {
      this.canvas.width = Math.round(width * ratio);
      this.canvas.height = Math.round(height * ratio);
    }
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.context.clearRect(0, 0, width, height);
    const [left, top, right, bottom] = data.field,
      margin = 26;
    const scale = Math.min(
      (width - 2 * margin) / Math.max(right - left, 1),
      (height - 2 * margin) / Math.max(bottom - top, 1),
    );
    const x0 = (width - scale * (right - left)) / 2,
      y0 = (height + scale * (bottom - top)) / 2;
    this.scale = scale;
    this.map = ([x, y]) => [x0 + scale * (x - left), y0 - scale * (y - top)];
    this.box = [x0, y0 - scale * (bottom - top), scale * (right - left), scale * (bottom - top)];
    this.radius = Math.max(
      6,
      Math.min(13, 0.34 * Math.sqrt((width * height) / (this.recording.nodes + 6))),
    );
  }

  draw(time, speed) {
    this.time = time;
    this.speed = speed;
    this.fit();
    const { context, recording } = this;
    const state = recording.at(time);
    const places = [];
    for (let node = 0; node < recording.nodes; node++) {
      const place = recording.place(node, time);
      places.push(place && this.map(place));
    }
    this.places = places;
    context.strokeStyle = colour("line");
    context.lineWidth = 1;
    context.strokeRect(...this.box);
    this.drawScale();
    this.drawLinks(state, places);
    this.drawPointers(state, places);
    this.drawMessages(time, speed, places);
    // Those who are up to something come last, on top.
    const doing = places.map((_, node) => recording.doing(node, time));
    const order = (what) => (!what ? 0 : what.inside ? 2 : 1);
    const nodes = [...places.keys()].sort((a, b) => order(doing[a]) - order(doing[b]));
    for (const node of nodes) {
      if (places[node]) this.drawNode(node, doing[node], state, places[node]);
    }
    if (this.hasToken && state.token && places[state.token.node])
      this.drawToken(places[state.token.node]);
  }

  drawScale() {
    const { context } = this,
      [x, y, width, height] = this.box;
    const metres =
      [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].find((m) => m * this.scale > 60) || 1000;
    context.fillStyle = context.strokeStyle = colour("quiet");
    context.font = "11px system-ui, sans-serif";
    context.textAlign = "right";
    context.textBaseline = "bottom";
    const right = x + width - 8,
      bottom = y + height - 8;
    context.fillRect(right - metres * this.scale, bottom, metres * this.scale, 2);
    context.fillText(metres + " m", right, bottom - 2);
  }

  drawLinks(state, places) {
    const { context, recording } = this,
      chosen = this.selected;
    context.strokeStyle = colour("link");
    context.lineWidth = 1.2;
    context.beginPath();
    const bold = [];
    for (const pair of state.links) {
      const a = Math.floor(pair / recording.nodes),
        b = pair % recording.nodes;
      if (!places[a] || !places[b]) continue;
      if (a === chosen || b === chosen) {
        bold.push([a, b]);
        continue;
      }
      context.moveTo(...places[a]);
      context.lineTo(...places[b]);
    }
    context.stroke();
    context.strokeStyle = colour("accent");
    context.lineWidth = 1.8;
    context.beginPath();
    for (const [a, b] of bold) {
      context.moveTo(...places[a]);
      context.lineTo(...places[b]);
    }
    context.stroke();
  }

  /** Arrows from each node to the neighbour through which it would ask. */
  drawPointers(state, places) {
    const { context } = this;
    context.strokeStyle = context.fillStyle = colour("pointer");
    context.lineWidth = 2;
    for (const [node, next] of state.next) {
      if (node === next || !places[node] || !places[next]) continue;
      const [x, y] = places[node],
        [u, v] = places[next];
      const length = Math.hypot(u - x, v - y) || 1,
        dx = (u - x) / length,
        dy = (v - y) / length;
      const from = this.radius,
        to = Math.max(from + 8, length - this.radius - 3);
      const tip = [x + dx * to, y + dy * to];
      context.beginPath();
      context.moveTo(x + dx * from, y + dy * from);
      context.lineTo(tip[0] - dx * 6, tip[1] - dy * 6);
      context.stroke();
      context.beginPath();
      context.moveTo(...tip);
      context.lineTo(tip[0] - dx * 8 - dy * 4, tip[1] - dy * 8 + dx * 4);
      context.lineTo(tip[0] - dx * 8 + dy * 4, tip[1] - dy * 8 - dx * 4);
      context.fill();
    }
  }

  /** Messages of the last eighth of a second that one looks at, on their way. */
  drawMessages(time, speed, places) {
    const { context, recording } = this,
      span = 0.125 * speed;
    const { list, t } = recording.messages;
    const first = Math.max(lastUpTo(t, time - span) + 1, lastUpTo(t, time) - 400);
    for (let i = first; i < list.length && t[i] <= time; i++) {
      const { a, b, kind } = list[i];
      if (!places[a] || !places[b] || hiddenKinds.has(kind)) continue;
      const part = Math.min((time - t[i]) / span, 1);
      context.fillStyle = kindColour(kind);
      context.beginPath();
      context.arc(
        places[a][0] + (places[b][0] - places[a][0]) * part,
        places[a][1] + (places[b][1] - places[a][1]) * part,
        3.2,
        0,
        7,
      );
      context.fill();
    }
  }

  drawNode(node, doing, state, [x, y]) {
    const { context, radius } = this;
    const shade = nodeColour(doing);
    if (doing?.inside) {
      context.globalAlpha = 0.22;
      context.fillStyle = shade;
      context.beginPath();
      context.arc(x, y, radius * 1.75, 0, 7);
      context.fill();
      context.globalAlpha = 1;
    }
    context.fillStyle = doing && !doing.inside ? colour("card") : shade;
    context.strokeStyle = shade;
    context.lineWidth = doing && !doing.inside ? 3.5 : 1.5;
    context.beginPath();
    context.arc(x, y, radius, 0, 7);
    context.fill();
    context.stroke();
    if (state.doubts.get(node)) {
      context.strokeStyle = colour("bad");
      context.setLineDash([3, 3]);
      context.lineWidth = 2;
      context.beginPath();
      context.arc(x, y, radius * 1.5, 0, 7);
      context.stroke();
      context.setLineDash([]);
    }
    if (node === this.selected) {
      context.strokeStyle = colour("accent");
      context.lineWidth = 2.5;
      context.beginPath();
      context.arc(x, y, radius + 5, 0, 7);
      context.stroke();
    }
    context.fillStyle = doing?.inside ? "#fff" : colour("text");
    context.font = `600 ${Math.round(radius * 1.02)}px system-ui, sans-serif`;
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.fillText(node, x, y + 0.5);
  }

  /** A diamond at the node's shoulder. */
  drawToken([x, y]) {
    const { context, radius } = this,
      size = radius * 0.72,
      u = x + radius * 0.95,
      v = y - radius * 0.95;
    context.fillStyle = colour("token");
    context.strokeStyle = colour("card");
    context.lineWidth = 1.5;
    context.beginPath();
    context.moveTo(u, v - size);
    context.lineTo(u + size, v);
    context.lineTo(u, v + size);
    context.lineTo(u - size, v);
    context.closePath();
    context.fill();
    context.stroke();
  }

  click(event) {
    const box = this.canvas.getBoundingClientRect();
    const x = event.clientX - box.left,
      y = event.clientY - box.top;
    let best = null,
      nearest = this.radius * 2.2;
    this.places.forEach((place, node) => {
      const far = place ? Math.hypot(place[0] - x, place[1] - y) : Infinity;
      if (far < nearest) {
        nearest = far;
        best = node;
      }
    });
    select(best === this.selected ? null : best);
  }
}

const hiddenKinds = new Set();
const kindColour = (kind) => PALETTE[Object.keys(data.sent).sort().indexOf(kind) % PALETTE.length];

/** Those inside have the colour of what they are inside for. */
function nodeColour(doing) {
  if (!doing) return colour("idle");
  if (!doing.inside) return colour("waiting");
  return demandColour(doing.demand);
}

function demandColour(demand) {
  const shades = [colour("inside"), "#0072b2", "#7a5195", "#d55e00", "#56b4e9", "#8c8c00"];
  return data.demands.length > 1 ? shades[demand % shades.length] : colour("inside");
}
