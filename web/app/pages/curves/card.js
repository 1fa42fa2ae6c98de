// One chart of the page.

import { html, useMemo, useRef, useState, useEffect } from "../../vendor/preact.js";
import * as format from "../../core/format.js";
import { Chart } from "../../parts/chart.js";
import { extent, span } from "../../parts/chart/values.js";
import { useShown } from "../../parts/shown.js";
import { Menu } from "../../parts/menu.js";
import { useSize } from "../../core/use.js";
import { ExpressionFault } from "./compose.js";
import { drawnText, lines } from "./lines.js";
import { marksOf } from "./marks.js";
import { needs } from "./parts.js";
import { useSeries } from "./use-series.js";

const height = 190;
const none = [];

// Card shows its chart when it comes near the window; before it is a title in a
// place of the same size. chart: {key, title, parts, error, note, subjects}.
export function Card({ chart, page, large = false }) {
  const [ref, shown] = useShown();
  return html`<article class=${`cv-card ${large ? "large" : ""}`} ref=${ref} data-chart=${chart.key}>
    ${shown || large ? html`<${Live} chart=${chart} page=${page} large=${large} />` : html`<h3 class="chart-title cut">${chart.heading ?? chart.title}</h3>`}
  </article>`;
}

function Live({ chart, page, large }) {
  const { settings, runs, loader, growth, tick, shared } = page;
  const [box, { width }] = useSize();
  const asked = useMemo(() => needs(chart.parts), [chart.parts]);
  const view = useMemo(() => viewOf(settings, width, runs.length), [settings.axis, settings.zoom?.[0], settings.zoom?.[1], width && columnsOf(width, runs.length), runs.length]);
  const names = useMemo(() => runs.map((r) => r.name), [runs]);
  const series = useSeries({ loader, growth, grown: tick?.value ?? 0, runs: names, needs: asked, view, when: width > 0, turn: page.turn });

  // Another axis brings another watched and another shared: the chart goes over to them.
  useEffect(() => page.watched.watch(asked, page.gone), [chart.key, asked, page.watched]);

  const list = useMemo(() => emphasised(lines({ parts: chart.parts, runs, got: series.got, settings }), settings.picked),
    [chart.parts, runs, series.version, settings.smoothing, settings.group, settings.band, settings.singles, settings.picked]);
  const marks = useMemo(() => (page.marked ? marksOf(page.marked, { axis: settings.axis, started: page.started, subjects: chart.subjects, open: page.openFinding }) : none),
    [page.marked, settings.axis, page.started, chart.subjects]);

  // Where all charts have one range, each tells its own and takes that of all.
  const own = useMemo(() => ({ x: span(list), y: settings.oneRange ? extent(list, settings.zoom ?? [-Infinity, Infinity], { positive: settings.logY, clip: !settings.outliers }) : null }), [list, settings.oneRange, settings.zoom?.[0], settings.zoom?.[1], settings.logY, settings.outliers]);
  useEffect(() => shared.tell(chart.key, own), [own]);
  useEffect(() => () => shared.tell(chart.key, null), [chart.key, shared]);
  const common = settings.oneRange ? shared.range.value : null;

  const y = useMemo(() => ({ log: settings.logY, clip: !settings.outliers, range: common?.y ?? undefined }), [settings.logY, settings.outliers, common?.y?.[0], common?.y?.[1]]);
  const x = useMemo(() => ({ kind: settings.axis, log: settings.logX }), [settings.axis, settings.logX]);
  const range = settings.zoom ?? (common?.x && !settings.logX ? common.x : null);
  const caption = useMemo(() => drawnText(list, format), [list]);
  if (chart.error) return html`<div ref=${box}><${Faulty} chart=${chart} page=${page} large=${large} /></div>`;
  const error = series.errors[0] && !list.length ? series.errors[0] : null;
  return html`<div ref=${box}>
    <${Chart} title=${chart.heading ?? chart.title} series=${list} x=${x} y=${y} marks=${marks} group="curves" height=${large ? tall() : height}
      range=${range} onRange=${(zoom) => page.set({ zoom })} limit=${series.limit()} reset=${false} loading=${series.loading && !list.length} error=${error} retry=${page.refresh}
      onPick=${(line) => page.pick(line.run)} legend=${large ? list.length <= 60 : runs.length > 1 ? false : 3} caption=${[caption, chart.note].filter(Boolean).join(" · ")} tools=${toolsOf(chart, page, large)}
      empty="There are no values of this in the chosen runs." />
  </div>`;
}

function Faulty({ chart, page, large }) {
  return html`<div class="chart"><div class="chart-head"><h3 class="chart-title">${chart.title}</h3>
      <${Menu} label=${`Chart ${chart.title}`} icon="more" words=${false} button="plain small" items=${toolsOf(chart, page, large)} /></div>
    <${ExpressionFault} text=${chart.own.text} error=${chart.error} /></div>`;
}

const tall = () => Math.max(260, Math.min(620, Math.round(innerHeight * 0.55)));

// emphasised has all other runs step back behind the one that was picked.
function emphasised(list, picked) {
  if (!picked || !list.some((l) => l.run === picked)) return list;
  const front = (line) => line.run === picked || line.role === "mean";
  return [...list.filter((l) => !front(l)).map((l) => ({ ...l, faint: true, min: null, max: null })), ...list.filter(front).map((l) => (l.role === "mean" ? l : { ...l, faint: false, front: true, width: l.width + 0.75 }))];
}

// viewOf is what the server is asked for: the zoomed part, a little wider so that
// lines reach the edges, in as many columns as the chart has pixels.
function viewOf(settings, width, runs) {
  const axis = settings.axis === "step" ? "update" : settings.axis;
  const columns = columnsOf(width, runs);
  if (!settings.zoom) return { axis, columns };
  const [from, to] = settings.zoom;
  const more = (to - from) * 0.02;
  const whole = axis === "update";
  return { axis, columns, from: whole ? Math.floor(from - more) : from - more, to: whole ? Math.ceil(to + more) + 1 : to + more };
}

// Small changes of the width, such as that of a scroll bar, ask for nothing again.
const step = 480;

function columnsOf(width, runs) {
  const pixels = width * Math.min(2, devicePixelRatio || 1);
  const most = runs > 30 ? 250 : runs > 5 ? 600 : 1600;
  return Math.min(most, Math.max(1, Math.ceil(pixels / step)) * step);
}

function toolsOf(chart, page, large) {
  const pinKey = chart.own ? chart.key : `s:${chart.key}`;
  const pinned = page.pinned.includes(pinKey);
  return [
    { label: large ? "Back to all charts" : "Larger", icon: "expand", run: () => page.enlarge(large ? "" : chart.key) },
    { label: "Pinned", checked: pinned, run: () => page.pin(pinKey, !pinned) },
    chart.own && chart.own.kind !== "series" && { label: "Change", icon: "edit", run: () => page.compose(chart.own) },
    chart.own && chart.own.kind !== "series" && { label: "Remove", icon: "trash", run: () => page.removeOwn(chart.key) },
  ].filter(Boolean);
}
