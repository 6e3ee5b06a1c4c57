// The plots of a campaign.

function drawPlot(plot, number) {
  const symbols = ["circle", "square", "diamond", "triangle-up", "triangle-down", "cross", "x"];
  const traces = plot.series.map(({ name, x, mean, half, runs }, i) => ({
    x: x.map((value) => (typeof value === "number" ? value : String(value))),
    y: mean,
    name: name || plot.y,
    mode:
      x.length > 1 && x.every((value) => typeof value === "number") ? "lines+markers" : "markers",
    error_y: { type: "data", array: half, thickness: 1.4, width: 5 },
    marker: { size: 8, symbol: symbols[i % symbols.length] },
    line: { width: 2 },
    text: mean.map(
      (value, k) =>
        runs[k] > 1
          ? `${value.toPrecision(4)} ± ${half[k].toPrecision(2)}, ${runs[k]} runs`
          : `${value.toPrecision(4)}, 1 run`,
    ),
    hovertemplate: "%{text}<extra>" + (name || plot.y) + "</extra>",
  }));
  const words = plot.series.some(({ x }) => x.some((value) => typeof value !== "number"));
  return Plotly.react(
    "plot-" + number,
    traces,
    layout({
      height: 380,
      showlegend: plot.series.length > 1,
      xaxis: { title: { text: plot.x }, type: words ? "category" : "linear" },
      yaxis: {
        title: { text: plot.y },
        type: plot.log ? "log" : "linear",
        rangemode: plot.log ? "normal" : "tozero",
      },
    }),
    CHART_CONFIG,
  );
}

startTheme();
drawCharts(() => Promise.all(data.plots.map(drawPlot)));
