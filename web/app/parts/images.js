// Images as tiles: wheel, pinch, + and - zoom, dragging and arrow keys move, Enter takes one alone.
// <Images title parts=${[...]} view onView norm=${{kind: "" | "tile" | "fixed", low, high}} place=${(i, row, column) => "[0, 1, 2, 3]"} onOpen=${(i) => ...} />
// parts are answers of /images as images/picture.js makes parts of them, the finest first; view is {top, left, rows, columns} of the mosaic, or null for all.
import { effect, html, useLayoutEffect, useMemo, useRef, useState } from "../vendor/preact.js";
import * as format from "../core/format.js";
import { number as figure } from "../core/api.js";
import { typing } from "../core/keys.js";
import { theme } from "../core/theme.js";
import { nextFrame } from "../core/tick.js";
import { useSize } from "../core/use.js";
import { mosaicOf } from "./images/mosaic.js";
import { paint } from "./images/paint.js";
import { bar, valueAt } from "./images/picture.js";
import { gestures } from "./matrix/gestures.js";
import { fitted, whole, zoomed } from "./matrix/place.js";
import { Icon } from "./icon.js";

export function Images({ title, parts, view: asked, onView, norm, place, onOpen, most = 520, loading }) {
  const canvas = useRef(null);
  const [box, { width }] = useSize();
  const [cursor, setCursor] = useState(null);
  const [focused, setFocused] = useState(false);
  const first = parts.at(-1);
  const mosaic = useMemo(() => mosaicOf(first.index.length, first.height, first.width, { width: width || 600, height: most }), [first.index.length, first.height, first.width, width, most]);
  const ranges = useMemo(() => rangesOf(first, norm), [first, norm.kind, norm.low, norm.high]);
  const view = fitted(asked ?? whole(mosaic.shape), mosaic.shape);
  const state = useRef({});
  state.current = { parts, mosaic, view, ranges, cursor, focused, shape: mosaic.shape, place: mosaic.place, onView };

  useLayoutEffect(() => {
    const element = canvas.current;
    const draw = () => element.isConnected && paint(element, state.current);
    state.draw = () => nextFrame(draw);
    const end = gestures(element, () => state.current, (at) => setCursor(at && state.current.mosaic.tile(at.row, at.column) ? at : null));
    const painted = effect(() => {
      theme.value;
      state.draw();
    });
    return () => {
      painted();
      end();
    };
  }, []);
  useLayoutEffect(() => {
    canvas.current.style.setProperty("height", `${mosaic.height}px`);
    state.draw();
  }, [parts, view.top, view.left, view.rows, view.columns, mosaic, ranges, cursor, focused, width]);

  const all = view.rows >= mosaic.shape[0] && view.columns >= mosaic.shape[1];
  const middle = () => ({ row: Math.floor(view.top + view.rows / 2), column: Math.floor(view.left + view.columns / 2) });
  const zoom = (factor) => {
    const around = cursor ?? middle();
    onView(zoomed(view, mosaic.shape, factor, around.row + 0.5, around.column + 0.5));
  };
  const move = ([down, right]) => {
    const [rows, columns] = mosaic.shape;
    let at = cursor ?? { row: Math.floor(view.top), column: Math.floor(view.left) };
    if (cursor) {
      // A gap is stepped over.
      do at = { row: at.row + down, column: at.column + right };
      while (!mosaic.tile(at.row, at.column) && at.row >= 0 && at.column >= 0 && at.row < rows && at.column < columns);
    }
    if (!mosaic.tile(at.row, at.column)) return;
    setCursor({ ...at, spoken: true });
    const keep = (from, size, to) => (to < from ? to : to + 1 > from + size ? to + 1 - size : from);
    const seen = fitted({ ...view, top: keep(view.top, view.rows, at.row), left: keep(view.left, view.columns, at.column) }, mosaic.shape);
    if (seen.top !== view.top || seen.left !== view.left) onView(seen);
  };
  const under = cursor && mosaic.tile(cursor.row, cursor.column);
  const keys = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
    const far = event.shiftKey ? 10 : 1;
    const by = { ArrowLeft: [0, -far], ArrowRight: [0, far], ArrowUp: [-far, 0], ArrowDown: [far, 0] }[event.key];
    if (by) move(by);
    else if (event.key === "+" || event.key === "=") zoom(0.5);
    else if (event.key === "-") zoom(2);
    else if (event.key === "0") onView(null);
    else if (event.key === "Enter" && under && onOpen) onOpen(under.i);
    else if (event.key === "Escape" && cursor) setCursor(null);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const value = under && valueAt(parts, under.i, under.row, under.column);
  return html`<figure class="matrix" onKeyDown=${keys} aria-busy=${loading ? "true" : null}>
    <figcaption class="line">
      <${Greys} range=${norm.kind === "tile" ? null : ranges(0)} />
      <output class="matrix-now cut" aria-live=${cursor?.spoken ? "polite" : "off"}>${under ? html`<span class="quiet">${place(under.i, under.row, under.column)}</span> ${said(value, under, place)}` : html`<span class="faint">point at an image to read it</span>`}</output>
      <span class="grow"></span>
      ${under && onOpen && html`<button type="button" class="button plain small" title="This image alone (Enter)" onClick=${() => onOpen(under.i)}>Alone</button>`}
      <button type="button" class="button plain small icon" aria-label="Nearer" title="Nearer (+)" onClick=${() => zoom(0.5)}><${Icon} name="plus" size=${14} /></button>
      <button type="button" class="button plain small icon" aria-label="Farther" title="Farther (-)" disabled=${all} onClick=${() => zoom(2)}><${Icon} name="minus" size=${14} /></button>
      ${!all && html`<button type="button" class="button plain small" title="Show all (0)" onClick=${() => onView(null)}><${Icon} name="reset" size=${14} /> Show all</button>`}
    </figcaption>
    <div ref=${box} class="matrix-body" tabindex="0" role="group" aria-roledescription="images" aria-label=${`${summary(title, first)} Arrow keys move the cursor, plus and minus zoom, Enter shows one alone.`} onFocus=${() => setFocused(true)} onBlur=${() => setFocused(false)}>
      <canvas ref=${canvas} class=${`matrix-canvas ${all ? "" : "near"}`} aria-hidden="true"></canvas></div>
  </figure>`;
}

// rangesOf gives the values that are black and white in a tile.
function rangesOf(part, { kind, low, high }) {
  if (kind === "tile") return (i) => [part.tile_min[i], part.tile_max[i]];
  const range = kind === "fixed" ? [low, high] : [figure(part.min), figure(part.max)];
  return () => range;
}

const said = (value, under, place) => (!value ? html`<span class="faint">is not read yet</span>` : html`${value.near && html`<span class="faint">near ${place(under.i, ...value.near)}:</span> `}<strong>${value.values.map((one) => format.number(one, 6)).join(", ")}</strong>`);

// Greys shows which values are black and white.
function Greys({ range }) {
  const canvas = useRef(null);
  useLayoutEffect(() => bar(canvas.current), []);
  const end = (i, word) => (range ? (Number.isFinite(range[i]) ? format.number(range[i], 3) : "") : word);
  return html`<span class="matrix-scale small n"><span>${end(0, "lowest")}</span><canvas ref=${canvas} class="matrix-bar" aria-hidden="true"></canvas><span>${end(1, "highest")}</span></span>`;
}

// summary is one sentence about what is seen.
function summary(title, { index, planes, height, width, tile_odd: odd }) {
  const wrong = odd.reduce((sum, n) => sum + (n > 0), 0);
  return `${title}, ${format.several(index.length, planes === 3 ? "coloured image" : "grey image")} of ${height} by ${width} values${wrong ? `; ${wrong} of them ${wrong === 1 ? "has" : "have"} values that are not finite` : ""}.`;
}
