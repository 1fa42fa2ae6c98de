// A chart of lines: several series over one x, with a cursor, zoom, marks, a table behind the key t, and a sentence that says what is seen.
import { html, signal, useLayoutEffect, useMemo, useRef, useState } from "../vendor/preact.js";
import { route } from "../core/router.js";
import { typing } from "../core/keys.js";
import { position } from "./chart/axes.js";
import { Legend } from "./chart/legend.js";
import { steer } from "./chart/steer.js";
import { drawn, summaries } from "./chart/summary.js";
import { Tip } from "./chart/tip.js";
import { Tools } from "./chart/tools.js";
import { usePlot } from "./chart/use-plot.js";
import { Values } from "./chart/values-table.js";
import { figures, fromAnswer, under } from "./chart/values.js";
import { Empty, Failed, Loading } from "./empty.js";
import { useCalm, useShown } from "./shown.js";

export { fromAnswer };

const none = [];
const plainX = { kind: "step" };
const plainY = {};

// Chart; the props are told in web/README.md. series is a list of {label, x, y, min, max, xLast, odd, raw, points, unit, colour, dash, kind, faint, behind, href}: behind are the values before smoothing.
export function Chart(props) {
  const { title, heading = "h3", series = none, x = plainX, y = plainY, marks = none, regions = none, lines = none, group = null, height = 180, range, onRange, limit, live, loading, error, retry, empty, command, onPick, legend = "auto", caption, tools = none, bare = false, children } = props;
  const element = useRef(null);
  const plot = useRef(null);
  const [root, shown] = useShown();
  const [hidden, setHidden] = useState(() => new Set());
  const [own, setOwn] = useState(null);
  const [log, setLog] = useState(null);
  const [table, setTable] = useState(false);
  const [said, setSaid] = useState(false);
  const point = useMemo(() => signal({ x: null }), []);
  const ticks = useCalm(live, shown);

  const view = range === undefined ? own : range;
  const logY = log ?? y.log ?? false;
  const state = useRef(null);
  const strong = useRef(-1);
  // What the painters read at the moment they paint.
  state.current = () => ({ series, hidden, strong: strong.current, marks, regions, lines, x, y: { ...y, log: logY, unit: y.unit ?? commonUnit(series) }, view, height, group, limit, bare });
  const on = useRef(null);
  on.current = {
    zoom(next) {
      if (range === undefined) setOwn(next);
      onRange?.(next);
    },
    point(x, left, top, here) {
      const before = strong.current;
      strong.current = here && x !== null ? closest(plot.current, state.current(), x, top) : -1;
      point.value = { x, left, top, here };
      if (before !== strong.current) plot.current?.ask();
    },
    pick(event) {
      const mark = markAt(plot.current, event.offsetX);
      if (mark?.href) return route.follow(mark.href);
      if (strong.current >= 0) onPick?.(series[strong.current]);
    },
  };

  const some = series.some((one) => one.x.length > 0);
  const drawing = shown && some && !table;
  usePlot({ element, plot, state, on }, drawing, [x.kind, x.log, logY, y.unit, group, bare]);
  useLayoutEffect(() => {
    plot.current?.resize(plot.current.u.width, height);
    plot.current?.ask();
  }, [series, hidden, view?.[0], view?.[1], marks, regions, lines, y, logY, height, ticks]);

  const words = useMemo(() => (shown || said ? summaries(series.filter((one) => !hidden.has(one.label)), x.kind, view) : ""), [series, hidden, view?.[0], view?.[1], x.kind, shown, said, Math.floor(ticks / 50)]);
  const toggle = (label, alone) => setHidden(alone ? new Set(series.filter((one) => one.label !== label).map((one) => one.label)) : toggled(hidden, label));
  const keys = (event) => {
    if (typing(event.target)) return;
    if (steer(event, { plot: plot.current, point, markAt, toggleTable: () => setTable(!table), toggleLog: () => setLog(!logY), reset: () => on.current.zoom(null), series })) {
      event.preventDefault();
      event.stopPropagation();
    }
  };
  const body = () => {
    if (error && !some) return html`<${Failed} compact error=${error} again=${retry} />`;
    if (!some) return loading ? html`<${Loading} compact />` : html`<${Empty} compact command=${command}>${empty ?? "There are no values of this yet."}<//>`;
    if (table) return html`<${Values} series=${series} kind=${x.kind} height=${height} unit=${y.unit} />`;
    return html`<div ref=${element} class="chart-plot"></div>${drawing && html`<${Tip} point=${point} state=${() => state.current()} plot=${plot} strong=${strong} markAt=${markAt} kind=${x.kind} />`}`;
  };
  const figure = html`<div class=${`chart-body ${some && !table ? "drawn" : ""}`} tabindex=${some ? 0 : null} role=${some ? "group" : null} aria-roledescription=${some ? "chart" : null} aria-label=${some ? `${title}. ${words}` : null} onKeyDown=${keys}
      ref=${(node) => node?.style.setProperty("min-height", `${height}px`)}>${body()}<${Spoken} point=${point} series=${series} kind=${x.kind} /></div>`;
  if (bare) return html`<div class="chart bare" ref=${root}>${figure}</div>`;
  const multiple = legend === "auto" || typeof legend === "number" ? series.length > 1 : legend;
  return html`<figure class="chart" ref=${root} aria-busy=${loading ? "true" : null}>
    <figcaption class="chart-head"><${heading} class="chart-title" title=${title}>${title}<//>${children}
      ${some && !multiple && html`<${Legend} single series=${series} hidden=${hidden} point=${point} unit=${y.unit} ticks=${ticks} />`}
      ${loading && some && html`<span class="pulse" role="status" aria-label="Loading"></span>`}
      ${some && html`<${Tools} title=${title} plot=${plot} series=${series} kind=${x.kind} zoomed=${narrowed(view, limit) && props.reset !== false} log=${logY} table=${table} said=${said}
        set=${{ log: () => setLog(!logY), table: () => setTable(!table), said: () => setSaid(!said), reset: () => on.current.zoom(null) }} more=${tools} />`}
    </figcaption>
    ${said && html`<p class="chart-said">${words}</p>`}
    ${figure}
    ${some && multiple && html`<${Legend} few=${typeof legend === "number" ? legend : undefined} series=${series} hidden=${hidden} toggle=${toggle} point=${point} unit=${y.unit} ticks=${ticks} strong=${(i) => { strong.current = i; plot.current?.ask(); }} />`}
    ${some && caption !== false && html`<div class="chart-drawn">${caption ?? drawn(series)}${error && html` · <span class="severity plain error">${error.message}</span>`}</div>`}
  </figure>`;
}

// Spoken reads the values at the cursor to a screen reader, when arrow keys moved it.
function Spoken({ point, series, kind }) {
  const { x, spoken } = point.value;
  if (!spoken || x === null) return html`<span class="sr" aria-live="polite"></span>`;
  const texts = series.slice(0, 5).map((one) => `${one.label ?? ""} ${figures(one)[under(one, x)]?.toPrecision?.(4) ?? ""}`);
  return html`<span class="sr" aria-live="polite">${position(x, kind)}: ${texts.join(", ")}</span>`;
}

// narrowed says whether less than all is shown.
const narrowed = (view, limit) => Boolean(view) && !(limit && view[0] <= limit[0] && view[1] >= limit[1]);

function commonUnit(series) {
  const units = new Set(series.map((one) => one.unit ?? ""));
  return units.size === 1 ? [...units][0] : "";
}

function toggled(set, label) {
  const next = new Set(set);
  if (!next.delete(label)) next.add(label);
  return next;
}

// closest is the series whose line is within 24 pixels of the pointer.
function closest(plot, { series, hidden }, x, top) {
  if (!plot || series.length < 2) return -1;
  let best = -1;
  let distance = 24;
  series.forEach((one, i) => {
    if (hidden.has(one.label)) return;
    const value = one.y[under(one, x)];
    const away = Number.isFinite(value) ? Math.abs(plot.u.valToPos(value, "y") - top) : Infinity;
    if (away < distance) [best, distance] = [i, away];
  });
  return best;
}

// markAt is the mark within 6 pixels of a place; findings go before checkpoints.
function markAt(plot, left) {
  const near = (plot?.placed ?? []).filter((one) => Math.abs(one.left - left) <= 6 && one.mark.kind !== "epoch");
  near.sort((a, b) => (a.mark.kind === "checkpoint") - (b.mark.kind === "checkpoint") || Math.abs(a.left - left) - Math.abs(b.left - left));
  return near[0]?.mark ?? null;
}
