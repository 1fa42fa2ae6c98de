// A matrix of numbers as an image: wheel, pinch, + and - zoom, dragging and arrow keys move, near enough each cell shows its number, t is a table.
// <Matrix title shape=${[rows, columns]} parts=${[...]} view onView range=${[low, high]} at=${(row, column) => "..."} />
// parts are what was read so far, as matrix/parts.js makes them; view is {top, left, rows, columns}, held by the page; range is that of the colours.
import { effect, html, useLayoutEffect, useMemo, useRef, useState } from "../vendor/preact.js";
import * as format from "../core/format.js";
import { typing } from "../core/keys.js";
import { theme } from "../core/theme.js";
import { nextFrame } from "../core/tick.js";
import { useSize } from "../core/use.js";
import { bar, scaleOf } from "./matrix/colours.js";
import { gestures } from "./matrix/gestures.js";
import { paint } from "./matrix/paint.js";
import { finest, valueAt } from "./matrix/parts.js";
import { fitted, heightOf, place, whole, zoomed } from "./matrix/place.js";
import { CellTable } from "./matrix/cells.js";
import { Icon } from "./icon.js";

export function Matrix({ title, shape, parts, view, onView, range, most = 460, loading, label = "", children }) {
  const canvas = useRef(null);
  const [box, { width }] = useSize();
  const [cursor, setCursor] = useState(null);
  const [focused, setFocused] = useState(false);
  const [table, setTable] = useState(false);
  const scale = useMemo(() => scaleOf(range[0], range[1]), [range[0], range[1]]);
  const height = heightOf(shape, width || 600, most);
  const state = useRef({});
  state.current = { parts, view, scale, cursor, focused, shape, onView };

  useLayoutEffect(() => {
    if (table) return undefined;
    const element = canvas.current;
    const draw = () => element.isConnected && paint(element, state.current);
    state.draw = () => nextFrame(draw);
    const end = gestures(element, () => state.current, setCursor);
    const painted = effect(() => {
      theme.value;
      state.draw();
    });
    return () => {
      painted();
      end();
    };
  }, [table]);
  useLayoutEffect(() => state.draw?.(), [parts, view.top, view.left, view.rows, view.columns, scale, cursor, focused, width, height, table]);

  const all = view.rows >= shape[0] && view.columns >= shape[1];
  const zoom = (factor, around = cursor) => onView(zoomed(view, shape, factor, (around?.row ?? Math.floor(view.top + view.rows / 2)) + 0.5, (around?.column ?? Math.floor(view.left + view.columns / 2)) + 0.5));
  const move = (event) => {
    const far = event.shiftKey ? 10 : 1;
    const by = { ArrowLeft: [0, -far], ArrowRight: [0, far], ArrowUp: [-far, 0], ArrowDown: [far, 0], PageUp: [-Math.ceil(view.rows * 0.8), 0], PageDown: [Math.ceil(view.rows * 0.8), 0] }[event.key];
    const from = cursor ?? { row: Math.floor(view.top + view.rows / 2), column: Math.floor(view.left + view.columns / 2) };
    const to = event.key === "Home" ? { row: from.row, column: 0 } : event.key === "End" ? { row: from.row, column: shape[1] - 1 } : cursor ? { row: from.row + by[0], column: from.column + by[1] } : from;
    const next = { row: Math.max(0, Math.min(shape[0] - 1, to.row)), column: Math.max(0, Math.min(shape[1] - 1, to.column)), spoken: true };
    setCursor(next);
    const keep = (from, size, at) => (at < from ? at : at + 1 > from + size ? at + 1 - size : from);
    const seen = fitted({ ...view, top: keep(view.top, view.rows, next.row), left: keep(view.left, view.columns, next.column) }, shape);
    if (seen.top !== view.top || seen.left !== view.left) onView(seen);
  };
  const keys = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
    if (event.key === "t") setTable(!table);
    else if (table) return;
    else if (/^(Arrow|Home$|End$|Page)/.test(event.key)) move(event);
    else if (event.key === "+" || event.key === "=") zoom(0.5);
    else if (event.key === "-") zoom(2);
    else if (event.key === "0") onView(whole(shape));
    else if (event.key === "Escape" && cursor) setCursor(null);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const words = summary(title, shape, finest(parts, view), range);
  const under = cursor && valueAt(parts, cursor.row, cursor.column);
  return html`<figure class="matrix" onKeyDown=${keys} aria-busy=${loading ? "true" : null}>
    <figcaption class="line">
      <${Scale} scale=${scale} range=${range} />
      <output class="matrix-now cut" aria-live=${cursor?.spoken ? "polite" : "off"}>${cursor ? html`<span class="quiet">${label}[${format.count(cursor.row)}, ${format.count(cursor.column)}]</span> ${said(under, cursor)}` : html`<span class="faint">point at a cell to read it</span>`}</output>
      <span class="grow"></span>
      ${children}
      <button type="button" class="button plain small icon" aria-label="Nearer" title="Nearer (+)" onClick=${() => zoom(0.5)}><${Icon} name="plus" size=${14} /></button>
      <button type="button" class="button plain small icon" aria-label="Farther" title="Farther (-)" disabled=${all} onClick=${() => zoom(2)}><${Icon} name="minus" size=${14} /></button>
      <button type="button" class="button plain small" aria-pressed=${table} title="Values as a table (t)" onClick=${() => setTable(!table)}><${Icon} name="table" size=${14} /> Table</button>
      ${!all && html`<button type="button" class="button plain small" title="Show all (0)" onClick=${() => onView(whole(shape))}><${Icon} name="reset" size=${14} /> Show all</button>`}
    </figcaption>
    <div ref=${box} class="matrix-body" tabindex="0" role="group" aria-roledescription="matrix" aria-label=${`${words} Arrow keys move the cursor, plus and minus zoom, t shows a table.`} onFocus=${() => setFocused(true)} onBlur=${() => setFocused(false)}>${table ? html`<${CellTable} title=${title} parts=${parts} view=${view} height=${Math.max(240, height)} />`
    : html`<canvas ref=${canvas} class=${`matrix-canvas ${all ? "" : "near"}`} aria-hidden="true" key="canvas"></canvas>`}${!table && html`<${Height} of=${canvas} height=${height} />`}</div>
  </figure>`;
}

// Height sets what only the data know.
function Height({ of, height }) {
  useLayoutEffect(() => of.current?.style.setProperty("height", `${height}px`), [height]);
  return null;
}

const said = (value, cursor) => (value.near ? html`<span title="Downsampled in this view; zoom in to read this value.">near [${value.near.join(", ")}]: ${format.number(value.value, 5)}</span>` : value.value === undefined ? html`<span class="faint">is not read yet</span>` : html`<strong>${format.number(value.value, 6)}</strong>`);

// Scale shows which colour is which value.
function Scale({ scale, range }) {
  const canvas = useRef(null);
  useLayoutEffect(() => effect(() => {
    theme.value;
    bar(canvas.current, scale);
  }), [scale]);
  if (!(range[0] <= range[1])) return html`<span class="faint small">no finite value</span><canvas ref=${canvas} hidden></canvas>`;
  return html`<span class="matrix-scale small n"><span>${format.number(scale.low, 3)}</span><canvas ref=${canvas} class="matrix-bar" aria-hidden="true"></canvas><span>${format.number(scale.high, 3)}</span></span>`;
}

// summary is one sentence about what is seen.
function summary(title, shape, newest, range) {
  if (!newest) return `${title}, ${shape.join(" by ")} values, not read yet.`;
  let odd = 0;
  for (const value of newest.values) if (!Number.isFinite(value)) odd++;
  const thin = newest.rowStride * newest.columnStride > 1 ? `, every ${format.count(newest.rowStride)}. row and ${format.count(newest.columnStride)}. column of it` : "";
  const values = range[0] <= range[1] ? ` from ${format.number(range[0], 3)} to ${format.number(range[1], 3)}` : "";
  return `${title}, ${shape.join(" by ")} values${values}${thin}${odd ? `; ${format.several(odd, "value")} shown ${odd === 1 ? "is" : "are"} not finite` : ""}.`;
}
