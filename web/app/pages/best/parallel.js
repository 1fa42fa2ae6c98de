// Parallel coordinates: an axis for each parameter and one for the metric, a line for each run. A drag along an axis keeps the runs that pass there.
import { html, useRef, useState } from "../../vendor/preact.js";
import { useSize } from "../../core/use.js";
import { kindOf, placed } from "./answer.js";

const height = 300, top = 34, bottom = 18, side = 60;
const inner = height - top - bottom;
const least = 0.01; // a shorter drag is a click

export function Parallel({ rows, axes, brushes, onBrushes, inside, over, onOver, onOpen }) {
  const [box, { width }] = useSize();
  const [drag, setDrag] = useState(null);
  const latest = useRef(null);
  const wide = Math.max(width, axes.length * 74);
  const x = (i) => side + (axes.length === 1 ? 0 : (i * (wide - 2 * side)) / (axes.length - 1));
  const y = (at) => top + (1 - at) * inner;
  const shown = drag ? new Map(brushes).set(drag.id, [Math.min(drag.from, drag.to), Math.max(drag.from, drag.to)]) : brushes;

  const partAt = (event) => Math.max(0, Math.min(1, 1 - (event.offsetY - top) / inner));
  const begin = (axis) => (event) => {
    if (event.button) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    latest.current = { id: axis.id, from: partAt(event), to: partAt(event) };
    setDrag(latest.current);
  };
  const move = (event) => {
    if (!latest.current) return;
    latest.current = { ...latest.current, to: partAt(event) };
    setDrag(latest.current);
  };
  const end = () => {
    const { id, from, to } = latest.current ?? {};
    latest.current = null;
    setDrag(null);
    if (id === undefined) return;
    const next = new Map(brushes);
    if (Math.abs(to - from) < least) next.delete(id);
    else next.set(id, [Math.min(from, to), Math.max(from, to)]);
    onBrushes(next);
  };
  // The best run is drawn last, over the others.
  const order = [...rows].sort((a, b) => Number(a.best) - Number(b.best) || Number(inside(a)) - Number(inside(b)));
  return html`<div class="best-parallel" ref=${box}>${width > 0 && html`<svg width=${wide} height=${height} role="group" aria-label="A line for each run over its parameters; the table below has the same values">
    ${order.map((row) => html`<path key=${row.name} class=${`best-line ${kindOf(row)} ${inside(row) ? "" : "outside"} ${over === row.name ? "over" : ""}`} d=${pathOf(row, axes, x, y)}
      onPointerEnter=${() => onOver(row.name)} onPointerLeave=${() => onOver(null)} onClick=${() => onOpen(row)}><title>${row.name}</title></path>`)}
    ${axes.map((axis, i) => html`<g key=${axis.id} transform=${`translate(${x(i)} 0)`}>
      <text class="best-axis-title" x="0" y="16" text-anchor="middle"><title>${axis.title}</title>${short(axis.title, i === 0 || i === axes.length - 1 ? 18 : Math.floor((wide - 2 * side) / axes.length / 6))}</text>
      <line class="best-axis" x1="0" x2="0" y1=${top} y2=${height - bottom} />
      ${axis.ticks.slice(0, 9).map((tick) => html`<text key=${tick.text} class="best-tick" x="6" y=${y(tick.at) + 4}>${short(tick.text, 10)}</text>`)}
      ${shown.has(axis.id) && html`<rect class="best-brush" x="-7" width="14" y=${y(shown.get(axis.id)[1])} height=${Math.max(2, (shown.get(axis.id)[1] - shown.get(axis.id)[0]) * inner)} />`}
    </g>`)}
    ${axes.map((axis, i) => html`<rect key=${axis.id} class="best-reach" data-axis=${axis.id} x=${x(i) - 14} width="28" y=${top - 4} height=${inner + 8} onPointerDown=${begin(axis)} onPointerMove=${move} onPointerUp=${end} onPointerCancel=${end}><title>Drag to keep the runs that pass here; click to show all</title></rect>`)}
  </svg>`}</div>`;
}

function pathOf(row, axes, x, y) {
  let path = "", open = false;
  axes.forEach((axis, i) => {
    const has = placed(axis, row);
    if (has) path += `${open ? "L" : "M"}${x(i).toFixed(1)} ${y(axis.at(axis.value(row))).toFixed(1)}`;
    open = has;
  });
  return path;
}

const short = (text, n) => (text.length > n ? `${text.slice(0, Math.max(1, n - 1))}\u2026` : text);
