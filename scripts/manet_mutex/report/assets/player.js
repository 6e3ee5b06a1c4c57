// Time: play, pause, speed, slider, keys; and what is said beside the replay.

const recording = new Recording();
const stage = new Stage(byId("stage"), recording);
const player = { time: 0, playing: false, speed: 1, last: null, told: 0 };
const timeListeners = [];

function seek(time, fromSlider) {
  player.time = Math.min(Math.max(time, 0), recording.end);
  if (!fromSlider) byId("time").value = player.time;
  show();
}

function show() {
  const { time } = player;
  stage.draw(time, player.speed);
  byId("clock").textContent = time.toFixed(2) + " s";
  byId("time").setAttribute("aria-valuetext", time.toFixed(1) + " seconds");
  // Text that changes sixty times a second cannot be read.
  const now = performance.now();
  if (!player.playing || now - player.told > 120) {
    player.told = now;
    tell(time);
    for (const listener of timeListeners) listener(time);
  }
}

function frame(now) {
  if (!player.playing) return;
  const passed = Math.min((now - (player.last ?? now)) / 1000, 0.1);
  player.last = now;
  seek(player.time + passed * player.speed);
  if (player.time >= recording.end) play(false);
  else requestAnimationFrame(frame);
}

function play(on) {
  if (on && player.time >= recording.end) seek(0);
  player.playing = on;
  player.last = null;
  const button = byId("play");
  button.textContent = on ? "Pause" : "Play";
  button.setAttribute("aria-pressed", on);
  if (on) requestAnimationFrame(frame);
  else show();
}

function select(node) {
  stage.selected = node;
  show();
}

/** Chips for nodes; one that is clicked is selected. */
function chips(id, nodes, words) {
  const box = byId(id),
    text = JSON.stringify(nodes.map(words));
  if (box.dataset.shown === text) return;
  box.dataset.shown = text;
  box.replaceChildren(
    ...nodes.map((node) => {
      const chip = document.createElement("button");
      chip.className = "chip";
      chip.textContent = words(node);
      chip.addEventListener("click", () => select(node));
      return chip;
    }),
  );
  if (!nodes.length) box.textContent = "nobody";
}

function tell(time) {
  const inside = [],
    waiting = [],
    doing = new Map();
  for (let node = 0; node < recording.nodes; node++) {
    const what = recording.doing(node, time);
    if (!what) continue;
    doing.set(node, what);
    (what.inside ? inside : waiting).push(node);
  }
  const demand = (node) => data.demands[doing.get(node).demand];
  const words = (node) => (demand(node) ? node + ": " + demand(node) : String(node));
  waiting.sort((a, b) => doing.get(a).since - doing.get(b).since);
  chips("inside", inside, words);
  chips("waiting", waiting, words);
  const state = recording.at(time);
  byId("waiting-count").textContent = waiting.length;
  byId("inside-count").textContent = inside.length;
  if (byId("link-count")) byId("link-count").textContent = state.links.size;
  if (byId("token"))
    byId("token").textContent = state.token ? "node " + state.token.node : "nobody";
  tellOfSelected(time, state, doing);
}

function tellOfSelected(time, state, doing) {
  const node = stage.selected,
    box = byId("selected");
  if (node === null) {
    box.textContent = "Click a node to see more of it.";
    return;
  }
  const { entries, waited } = recording.record(node, time);
  let neighbours = 0;
  for (const pair of state.links) {
    if (Math.floor(pair / recording.nodes) === node || pair % recording.nodes === node)
      neighbours++;
  }
  const what = doing.get(node),
    next = state.next.get(node);
  const now = !what
    ? "thinks"
    : (what.inside ? "is inside for " : "waits for ") + (time - what.since).toFixed(2) + " s";
  box.textContent =
    `Node ${node} ${now}; has been inside ${entries} times and waited ` +
    `${waited.toFixed(2)} s in all; ${neighbours} links` +
    (next !== undefined && next !== node ? `; would ask node ${next}.` : ".");
}

/** Above the slider: how many wait and are inside, over time. */
function drawStrip() {
  const canvas = byId("strip"),
    ratio = devicePixelRatio || 1;
  canvas.width = canvas.clientWidth * ratio;
  canvas.height = canvas.clientHeight * ratio;
  const bins = Math.max(1, Math.min(600, canvas.clientWidth >> 1));
  const waiting = new Float64Array(bins),
    inside = new Float64Array(bins);
  const visits = recording.visits[0]?.table ?? { t: [] };
  visits.t.forEach((begin, i) => {
    const counts = visits.w[i] ? inside : waiting;
    const from = Math.floor((begin / recording.end) * bins);
    const to = Math.min(Math.floor((visits.e[i] / recording.end) * bins), bins - 1);
    for (let bin = from; bin <= to; bin++) {
      const left = Math.max(begin, (bin * recording.end) / bins);
      const right = Math.min(visits.e[i], ((bin + 1) * recording.end) / bins);
      counts[bin] += (Math.max(0, right - left) * bins) / recording.end;
    }
  });
  const most = Math.max(1, ...waiting.map((count, i) => count + inside[i]));
  const context = canvas.getContext("2d"),
    width = canvas.width / bins;
  for (let bin = 0; bin < bins; bin++) {
    const low = (canvas.height * inside[bin]) / most,
      high = (canvas.height * waiting[bin]) / most;
    context.fillStyle = colour("inside");
    context.fillRect(bin * width, canvas.height - low, Math.ceil(width), low);
    context.fillStyle = colour("waiting");
    context.fillRect(bin * width, canvas.height - low - high, Math.ceil(width), high);
  }
}

function step(forward) {
  const time = recording.entry(player.time, forward);
  play(false);
  if (time !== null) seek(time);
}

const KEYS = {
  " ": () => play(!player.playing),
  ArrowLeft: () => seek(player.time - player.speed / 2),
  ArrowRight: () => seek(player.time + player.speed / 2),
  ",": () => step(false),
  ".": () => step(true),
  Home: () => seek(0),
  End: () => seek(recording.end),
  "+": () => changeSpeed(1),
  "-": () => changeSpeed(-1),
};

function changeSpeed(by) {
  const box = byId("speed");
  box.selectedIndex = Math.min(Math.max(box.selectedIndex + by, 0), box.options.length - 1);
  player.speed = Number(box.value);
  show();
}

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const element = event.target;
  // Controls have keys of their own.
  if (element.matches?.("select, a") || (element.matches?.("button, summary") && event.key === " "))
    return;
  if (element.matches?.("input") && /^(Arrow|Home|End)/.test(event.key)) return;
  const action = KEYS[event.key];
  if (action) {
    event.preventDefault();
    action();
  }
}

/** Which message has which colour; each kind can be left out. */
function fillLegend() {
  for (const kind of Object.keys(data.sent).sort()) {
    const shown = kind in data.messages,
      item = document.createElement("li");
    const label = document.createElement("label"),
      box = document.createElement("input");
    const mark = document.createElement("i");
    mark.style.background = kindColour(kind);
    mark.style.width = mark.style.height = "9px";
    box.type = "checkbox";
    box.checked = shown;
    box.disabled = !shown;
    box.addEventListener("change", () => {
      if (box.checked) hiddenKinds.delete(kind);
      else hiddenKinds.add(kind);
      show();
    });
    label.append(box, " ", mark, " " + kind + (shown ? "" : " (too many to show)"));
    label.style.cssText = "display:flex;gap:6px;align-items:center";
    item.append(label);
    byId("kinds").append(item);
  }
  if (data.demands.length < 2) return;
  byId("one-inside").remove();
  data.demands.forEach((demand, i) => {
    const item = document.createElement("li"),
      mark = document.createElement("i");
    mark.style.background = demandColour(i);
    item.append(mark, "inside, " + demand);
    byId("states").append(item);
  });
}

function startPlayer() {
  const slider = byId("time");
  slider.max = recording.end;
  slider.addEventListener("input", () => seek(Number(slider.value), true));
  byId("play").addEventListener("click", () => play(!player.playing));
  byId("back").addEventListener("click", () => step(false));
  byId("forward").addEventListener("click", () => step(true));
  byId("speed").addEventListener("change", (event) => {
    player.speed = Number(event.target.value);
  });
  document.addEventListener("keydown", onKey);
  fillLegend();
  new ResizeObserver(drawStrip).observe(byId("strip"));
  themeListeners.push(drawStrip);
  // Begin where something happens.
  seek(Math.max((recording.entry(0, true) ?? 0) - 1, 0));
}
