// Histograms: of one tensor at one step, or over steps as ridges. Arrow keys move between bins and steps, t shows a table.
import { effect, html, useLayoutEffect, useMemo, useRef, useState } from "../vendor/preact.js";
import { numbers } from "../core/api.js";
import * as format from "../core/format.js";
import { nextFrame } from "../core/tick.js";
import { theme } from "../core/theme.js";
import { baseline, paintRidge, positions } from "./heat/ridge.js";
import { Empty, Failed, Loading } from "./empty.js";
import { useShown } from "./shown.js";
import { Table } from "./table.js";

// Ridge: <Ridge title steps=${[...]} edges=${[n + 1]} shares=${[[n per step]]} counts=${[per step]} step=${chosen} onStep=${(step) => ...} even height loading error command />; over: the shares of another histogram, drawn as a line over the only one; names: [its own name, that of over]; only: the value that all elements have.
export function Ridge({ title, heading = "h3", steps = [], edges = [], shares = [], counts, over, names, only = null, step, onStep, even = false, height = 320, loading, error, retry, empty, command, children }) {
  const canvas = useRef(null);
  const box = useRef(null);
  const [root, shown] = useShown();
  const [width, setWidth] = useState(0);
  const [cursor, setCursor] = useState(null);
  const [table, setTable] = useState(false);
  const some = steps.length > 0 && edges.length > 1;
  const bins = edges.length - 1;
  const rows = useMemo(() => shares.map(numbers), [shares]);
  const chosen = step === undefined || step === null ? null : steps.indexOf(step);
  const active = cursor ? cursor.i : chosen >= 0 ? chosen : null;
  const drawn = some && shown && !table;

  useLayoutEffect(() => {
    if (!drawn) return undefined;
    const measure = () => setWidth(canvas.current?.parentElement.clientWidth ?? 0);
    measure();
    const observer = new ResizeObserver(() => nextFrame(measure));
    observer.observe(canvas.current.parentElement);
    return () => observer.disconnect();
  }, [drawn]);
  useLayoutEffect(() => {
    if (!drawn || width < 80) return undefined;
    return effect(() => {
      theme.value;
      box.current = paintRidge(canvas.current, { width, height, steps, edges, shares: rows, over, even, active, only });
    });
  }, [drawn, width, height, steps, edges, rows, over, even, active, only]);

  const at = (event) => {
    const { left, right, bottom } = box.current ?? {};
    const rect = canvas.current.getBoundingClientRect();
    const share = (event.clientX - rect.left - left) / (right - left);
    if (!(share >= 0 && share <= 1)) return null;
    const y = event.clientY - rect.top;
    if (y > bottom + 6) return null;
    let i = steps.findIndex((_, i) => baseline(box.current, i, steps.length) >= y);
    if (i < 0) i = steps.length - 1;
    const places = positions(edges, even);
    return { i, bin: Math.max(0, Math.min(bins - 1, places.findIndex((place) => place > share) - 1)) };
  };
  const keys = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !some) return;
    const now = cursor ?? { i: active ?? steps.length - 1, bin: bins >> 1 };
    const by = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1], Home: [-1e9, 0], End: [1e9, 0] }[event.key];
    if (event.key === "t") setTable(!table);
    else if (by && !table) setCursor({ i: Math.max(0, Math.min(steps.length - 1, now.i + by[0])), bin: Math.max(0, Math.min(bins - 1, now.bin + by[1])) });
    else if (event.key === "Enter" && cursor) onStep?.(steps[cursor.i]);
    else if (event.key === "Escape" && cursor) setCursor(null);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const shareAt = ({ i, bin }) => (over ? `${names[0]} ${format.percent(rows[i][bin])}, ${names[1]} ${format.percent(over[bin])}` : `step ${format.count(steps[i])}: ${format.percent(rows[i][bin])}`);
  const same = only === null ? "" : `all values are ${format.number(only)}`;
  const words = only !== null ? "" : cursor ? `${shareAt(cursor)} of the values between ${format.number(edges[cursor.bin], 3)} and ${format.number(edges[cursor.bin + 1], 3)}${counts ? `, of ${format.count(counts[cursor.i])}` : ""}` : "";
  const body = () => {
    if (error && !some) return html`<${Failed} compact error=${error} again=${retry} />`;
    if (!some) return loading ? html`<${Loading} compact />` : html`<${Empty} compact command=${command}>${empty ?? "No histograms were captured of this."}<//>`;
    if (table) return html`<${Values} steps=${over ? names : steps} edges=${edges} rows=${over ? [rows[0], over] : rows} named=${Boolean(over)} height=${height} />`;
    return html`<div class="ridge"><canvas ref=${canvas} aria-hidden="true" onMouseMove=${(event) => setCursor(at(event))} onMouseLeave=${() => setCursor(null)} onClick=${(event) => { const to = at(event); if (to) onStep?.(steps[to.i]); }}></canvas></div>`;
  };
  return html`<figure class="chart" ref=${root} aria-busy=${loading ? "true" : null}>
    <figcaption class="chart-head"><${heading} class="chart-title" title=${title}>${title}<//>${children}</figcaption>
    <div class=${`chart-body ${some && !table ? "drawn" : ""}`} tabindex=${some ? 0 : null} role=${some ? "group" : null} aria-roledescription=${some ? "histograms" : null} aria-label=${some ? `${title}. ${same ? `${same[0].toUpperCase()}${same.slice(1)}.` : summary(steps, edges, rows)}` : null} onKeyDown=${keys}>${body()}</div>
    ${some && html`<div class="chart-drawn said" aria-live="polite">${words || same || `${format.several(steps.length + (over ? 1 : 0), "histogram")} of ${format.several(bins, "bin")}`}</div>`}
  </figure>`;
}

// Histogram is that of one step: <Histogram title edges counts />, with the counts of another one over it: over names=${[...]}.
export const Histogram = ({ edges = [], counts = [], over, step = 0, ...more }) => {
  const [steps, shares, all] = useMemo(() => [[step], [sharesOf(counts)], [numbers(counts).reduce((sum, count) => sum + count, 0)]], [counts, step]);
  const others = useMemo(() => over && sharesOf(over), [over]);
  return html`<${Ridge} height=${180} ...${more} over=${others} steps=${counts.length ? steps : []} edges=${edges} shares=${shares} counts=${all} />`;
};

function sharesOf(counts) {
  const total = numbers(counts).reduce((sum, count) => sum + count, 0);
  return numbers(counts).map((count) => (total ? count / total : 0));
}

// summary says where most values lie at the first and the last step.
function summary(steps, edges, rows) {
  const middle = (row) => {
    let sum = 0;
    const total = row.reduce((a, b) => a + b, 0);
    for (let b = 0; b < row.length; b++) {
      sum += row[b];
      if (sum >= total / 2) return format.number((edges[b] + edges[b + 1]) / 2, 3);
    }
    return "nothing";
  };
  const range = `values from ${format.number(edges[0], 3)} to ${format.number(edges[edges.length - 1], 3)}`;
  if (steps.length === 1) return `Histogram of ${range}, half of them below ${middle(rows[0])}.`;
  return `Histograms of ${range}; the middle goes from ${middle(rows[0])} at step ${format.count(steps[0])} to ${middle(rows[rows.length - 1])} at step ${format.count(steps[steps.length - 1])}.`;
}

function Values({ steps, edges, rows, named, height }) {
  const list = useMemo(() => Array.from({ length: edges.length - 1 }, (_, bin) => ({ bin })), [edges]);
  const columns = useMemo(() => {
    const every = Math.max(1, Math.ceil(steps.length / 30));
    return [{ id: "from", title: "from", number: true, pin: true, value: ({ bin }) => edges[bin], cell: ({ bin }) => format.number(edges[bin], 4) }, { id: "to", title: "to", number: true, value: ({ bin }) => edges[bin + 1], cell: ({ bin }) => format.number(edges[bin + 1], 4) },
      ...steps.map((step, i) => ({ id: String(i), title: named ? step : steps.length > 1 ? `step ${format.count(step)}` : "share", number: true, value: ({ bin }) => rows[i][bin], cell: ({ bin }) => format.percent(rows[i][bin]) })).filter((_, i) => i % every === 0)];
  }, [steps, edges, rows]);
  return html`<${Table} label="Values of the histograms" rows=${list} columns=${columns} rowKey=${({ bin }) => bin} height=${height} dense />`;
}
