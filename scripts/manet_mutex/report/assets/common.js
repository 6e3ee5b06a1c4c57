const data = JSON.parse(document.getElementById("data").textContent);

/** The element of an id. */
const byId = (id) => document.getElementById(id);

/** A colour of the page, by its name in the style sheet. */
const colour = (name) =>
  getComputedStyle(document.documentElement)
    .getPropertyValue("--" + name)
    .trim();

/** Colours that people with any kind of sight can tell apart (after Okabe and Ito). */
const PALETTE = [
  "#2b8fd6",
  "#e69f00",
  "#009e73",
  "#cc79a7",
  "#56b4e9",
  "#d55e00",
  "#9a9a1a",
  "#8f6bb3",
];

const themeListeners = [];

function setTheme(name) {
  document.documentElement.dataset.theme = name;
  const button = byId("theme");
  if (button) button.textContent = name === "dark" ? "Light" : "Dark";
  for (const listener of themeListeners) listener();
}

function startTheme() {
  let kept = null;
  try {
    kept = localStorage.getItem("manet-mutex-theme");
  } catch {
    /* not allowed for this page */
  }
  const dark = matchMedia("(prefers-color-scheme: dark)");
  setTheme(kept || (dark.matches ? "dark" : "light"));
  dark.addEventListener("change", () => setTheme(dark.matches ? "dark" : "light"));
  byId("theme")?.addEventListener("click", () => {
    const name = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    try {
      localStorage.setItem("manet-mutex-theme", name);
    } catch {
      /* lasts until it is closed */
    }
    setTheme(name);
  });
}

/** Unpacks Plotly.js and runs it. */
async function loadLibrary() {
  const packed = Uint8Array.from(atob(byId("library").textContent), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  const script = document.createElement("script");
  script.textContent = await new Response(stream).text();
  document.head.append(script);
}

/** What all charts have in common, in the colours of the page. */
function layout(more) {
  const axis = {
    gridcolor: colour("line"),
    zerolinecolor: colour("line"),
    linecolor: colour("line"),
    automargin: true,
  };
  const { xaxis, yaxis, ...rest } = more;
  return {
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    font: { family: "system-ui, sans-serif", size: 13, color: colour("text") },
    colorway: PALETTE,
    margin: { l: 56, r: 16, t: 12, b: 46 },
    hoverlabel: { align: "left" },
    legend: { orientation: "h", y: 1.02, yanchor: "bottom", x: 0 },
    xaxis: { ...axis, ...xaxis },
    yaxis: { ...axis, ...yaxis },
    ...rest,
  };
}

const CHART_CONFIG = {
  displaylogo: false,
  responsive: true,
  modeBarButtonsToRemove: ["select2d", "lasso2d", "autoScale2d"],
};

/** Draws all charts, and again in other colours when the theme changes. */
async function drawCharts(draw) {
  try {
    await loadLibrary();
  } catch (error) {
    for (const chart of document.querySelectorAll(".chart")) {
      chart.textContent = "This browser cannot unpack the charts; a newer one can. (" + error + ")";
    }
    return;
  }
  await draw();
  themeListeners.push(draw);
  document.documentElement.dataset.charts = "drawn";
}
