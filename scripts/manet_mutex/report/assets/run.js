// The charts of a run.

/** Lines from begin to end at the height of a node, as one trace. */
function bars(inside) {
  const { visits } = recording,
    x = [],
    y = [],
    text = [];
  visits.forEach(({ t, row, table }, node) =>
    t.forEach((begin, i) => {
      if ((table.w[row[i]] === 1) !== inside) return;
      const end = table.e[row[i]],
        demand = data.demands[table.d[row[i]]];
      const words =
        `node ${node} ${inside ? "inside" : "waits"} ${(end - begin).toFixed(3)} s` +
        `<br>from ${begin.toFixed(3)} s` +
        (demand ? `<br>${demand}` : "");
      x.push(begin, end, null);
      y.push(node, node, null);
      text.push(words, words, "");
    }),
  );
  return { x, y, text };
}

function drawTimeline() {
  const height = Math.max(300, Math.min(16 * data.nodes + 110, 1100));
  const thick = Math.max(2, Math.min(9, (0.55 * (height - 110)) / data.nodes));
  const trace = (inside, name, shade, width) => ({
    ...bars(inside),
    name,
    mode: "lines",
    type: "scatter",
    hovertemplate: "%{text}<extra></extra>",
    connectgaps: false,
    line: { color: shade, width },
  });
  return Plotly.react(
    "timeline",
    [
      trace(false, "waits", colour("waiting"), thick * 0.55),
      trace(true, "inside", colour("inside"), thick),
    ],
    layout({
      height,
      hovermode: "closest",
      dragmode: "zoom",
      xaxis: { title: { text: "simulated seconds" }, range: [0, recording.end] },
      yaxis: {
        title: { text: "node" },
        range: [data.nodes - 0.4, -0.6],
        dtick: data.nodes > 40 ? 5 : 1,
        zeroline: false,
      },
    }),
    CHART_CONFIG,
  );
}

/** A line across the timeline where the replay is; a click moves the replay there. */
function linkTimeline() {
  const chart = byId("timeline"),
    cursor = byId("cursor");
  const place = (time) => {
    const axis = chart._fullLayout?.xaxis,
      size = chart._fullLayout?._size;
    if (!axis) return;
    const x = axis.l2p(time);
    cursor.style.display = x >= 0 && x <= axis._length ? "block" : "none";
    cursor.style.left = size.l + x + "px";
    cursor.style.top = size.t + "px";
    cursor.style.height = size.h + "px";
  };
  timeListeners.push(place);
  chart.on("plotly_click", ({ points }) => {
    play(false);
    seek(points[0].x);
  });
  chart.on("plotly_relayout", () => place(player.time));
  place(player.time);
}

function drawWaits() {
  const { edges, counts } = data.waits,
    middle = [],
    width = [],
    text = [];
  counts.forEach((count, i) => {
    middle.push((edges[i] + edges[i + 1]) / 2);
    width.push((edges[i + 1] - edges[i]) * 0.96);
    text.push(`${edges[i].toPrecision(3)} to ${edges[i + 1].toPrecision(3)} s: ${count}`);
  });
  const marks = [
    ["median", "wait_p50_s"],
    ["95 %", "wait_p95_s"],
    ["99 %", "wait_p99_s"],
  ].filter(([, key]) => data.summary[key] > 0);
  const log = (value) => Math.log10(value);
  return Plotly.react(
    "waits",
    [
      {
        x: middle,
        y: counts,
        width,
        text,
        type: "bar",
        textposition: "none",
        hovertemplate: "%{text}<extra></extra>",
        marker: { color: colour("waiting") },
      },
    ],
    layout({
      height: 320,
      showlegend: false,
      bargap: 0,
      xaxis: {
        type: "log",
        title: { text: "seconds waited" },
        exponentformat: "none",
        tickvals: [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 300, 1000],
      },
      yaxis: { title: { text: "entries" } },
      shapes: marks.map(([, key]) => ({
        type: "line",
        x0: data.summary[key],
        x1: data.summary[key],
        y0: 0,
        y1: 1,
        yref: "paper",
        line: { color: colour("quiet"), width: 1, dash: "dot" },
      })),
      annotations: marks.map(([name, key], i) => ({
        x: log(data.summary[key]),
        y: 1 - 0.09 * i,
        yref: "paper",
        text: name,
        showarrow: false,
        xanchor: "left",
        yanchor: "top",
        xshift: 3,
        font: { size: 11, color: colour("quiet") },
      })),
    }),
    CHART_CONFIG,
  );
}

function drawMessages() {
  const kinds = Object.entries(data.sent).sort((a, b) => b[1] - a[1]);
  const entries = data.entries || 1;
  return Plotly.react(
    "messages",
    [
      {
        type: "bar",
        orientation: "h",
        y: kinds.map(([kind]) => kind),
        x: kinds.map(([, count]) => count),
        text: kinds.map(([, count]) => `${count} (${(count / entries).toFixed(1)} an entry)`),
        textposition: "auto",
        hoverinfo: "none",
        cliponaxis: false,
        marker: { color: kinds.map(([kind]) => kindColour(kind)) },
      },
    ],
    layout({
      height: 320,
      showlegend: false,
      xaxis: { title: { text: "messages sent" } },
      yaxis: { autorange: "reversed", type: "category" },
    }),
    CHART_CONFIG,
  );
}

function overTime(id, traces, title) {
  const x = traces[0].counts.map((_, i) => (i + 0.5) * data.bin);
  return Plotly.react(
    id,
    traces.map(({ name, counts, shade }) => ({
      x,
      y: counts,
      name,
      type: "bar",
      marker: { color: shade },
      hovertemplate: "%{y}<extra>" + name + "</extra>",
    })),
    layout({
      height: 320,
      barmode: "relative",
      bargap: 0.05,
      hovermode: "x unified",
      xaxis: { title: { text: "simulated seconds" } },
      yaxis: { title: { text: title } },
    }),
    CHART_CONFIG,
  );
}

async function drawRun() {
  await drawTimeline();
  if (data.waits.counts.length) await drawWaits();
  await drawMessages();
  const kinds = Object.keys(data.sent_by_time).sort();
  const traces = kinds.map((kind) => ({
    name: kind,
    counts: data.sent_by_time[kind],
    shade: kindColour(kind),
  }));
  if (traces.length) await overTime("traffic", traces, `messages in ${data.bin.toPrecision(2)} s`);
  if (byId("links")) {
    await overTime(
      "links",
      [
        { name: "came up", counts: data.ups.map((n) => n / 2), shade: colour("inside") },
        { name: "closed", counts: data.downs.map((n) => -n / 2), shade: colour("token") },
      ],
      `links in ${data.bin.toPrecision(2)} s`,
    );
  }
}

startTheme();
startPlayer();
drawCharts(drawRun).then(linkTimeline);
