// A heat map: rows x places, colour for the value (bright is low, dark is high). A cursor by pointer or keys, zoom by drag, a table behind t.
import { effect, html, useLayoutEffect, useMemo, useRef, useState } from "../vendor/preact.js";
import * as format from "../core/format.js";
import { extent, scaler } from "../core/ramp.js";
import { nextFrame } from "../core/tick.js";
import { theme } from "../core/theme.js";
import { position } from "./chart/axes.js";
import { after } from "./chart/values.js";
import { Empty, Failed, Loading } from "./empty.js";
import { Bar } from "./heat/bar.js";
import { paint, uneven } from "./heat/paint.js";
import { Icon } from "./icon.js";
import { useShown } from "./shown.js";
import { Table } from "./table.js";

// <Heatmap title rows=${[{name, values: [...]}]} columns=${[step, ...]} kind="step" unit log range=${[0, 100]} height rowHeight
//   view=${[from, to] of the columns' values, or null} onView=${fn} onPick=${({row, column, value}) => ...} loading error retry empty command names />
// rows[].odd: the numbers of columns in which something is not finite. rows[].severity: of a finding about the row, which is named always then. signed: where there are values below 0, two colours tell below from above. each: every row has colours of its own.
export function Heatmap(props) {
  const { title, heading = "h3", rows: given = none, columns = none, kind = "step", unit, log = false, height = 420, rowHeight, names = true, onPick, loading, error, retry, empty, command, children } = props;
  const canvas = useRef(null);
  const mark = useRef(null);
  const tip = useRef(null);
  const nameOf = useRef(null);
  const box = useRef(null);
  const [root, shown] = useShown();
  const [cursor, setCursor] = useState(null);
  const [own, setOwn] = useState(null);
  const [lines, setLines] = useState(null);
  const [table, setTable] = useState(false);
  const [drag, setDrag] = useState(null);
  const rows = useMemo(() => given.map(marked), [given]);
  const range = useMemo(() => props.range ?? extent(rows, log), [rows, log, props.range?.[0], props.range?.[1]]);
  const two = Boolean(props.signed && !log && range[0] < 0);
  const limits = useMemo(() => around0(range, two), [range, two]);
  const each = useMemo(() => (props.each ? rows.map((row) => around0(extent([row], log), two)) : null), [rows, log, two, props.each]);
  const some = rows.length > 0 && columns.length > 0;
  const span = props.view === undefined ? own : props.view;
  const view = useMemo(() => ({
    columns: span ? [Math.min(after(columns, span[0]), columns.length - 1), Math.max(after(columns, span[0]) + 1, Math.min(columns.length, after(columns, span[1]) + 1))] : [0, columns.length],
    rows: lines && lines[1] <= rows.length ? lines : [0, rows.length],
  }), [span?.[0], span?.[1], lines, columns, rows.length]);

  const size = useRoom(canvas, some && shown && !table);
  useLayoutEffect(() => {
    if (!some || !shown || table || size < 20) return undefined;
    return effect(() => {
      theme.value;
      box.current = paint(canvas.current, { width: size, rows, columns, range: limits, each, two, log, view, kind, height, rowHeight, names });
    });
  }, [some, shown, table, size, rows, columns, limits, each, log, view, kind, height, rowHeight, names]);
  useLayoutEffect(() => {
    if (!mark.current || !cursor || !box.current) return;
    const { left, top, width, cell } = box.current;
    const wide = width / (view.columns[1] - view.columns[0]);
    const place = drag ? rectangle(drag) : { left: left + (cursor.column - view.columns[0]) * wide, top: top + (cursor.row - view.rows[0]) * cell, width: Math.max(3, wide), height: Math.max(3, cell) };
    for (const [key, value] of Object.entries(place)) mark.current.style.setProperty(key, `${value}px`);
    nameOf.current?.style.setProperty("top", `${top + (cursor.row - view.rows[0] + 0.5) * cell}px`);
    nameOf.current?.style.setProperty("min-width", `${left}px`);
    if (!tip.current) return;
    // The words are next to the cell: on its left in the right half, above it in the lower one.
    const room = canvas.current.parentElement;
    const right = place.left > room.clientWidth / 2, low = place.top > room.clientHeight / 2;
    tip.current.style.setProperty("left", right ? "auto" : `${place.left + place.width + 8}px`);
    tip.current.style.setProperty("right", right ? `${room.clientWidth - place.left + 8}px` : "auto");
    tip.current.style.setProperty("top", low ? "auto" : `${place.top + place.height + 6}px`);
    tip.current.style.setProperty("bottom", low ? `${room.clientHeight - place.top + 6}px` : "auto");
  });

  const zoom = (columnsView, rowsView) => {
    const next = columnsView && (columnsView[0] > 0 || columnsView[1] < columns.length) ? [columns[columnsView[0]], columns[columnsView[1] - 1]] : null;
    if (props.view === undefined) setOwn(next);
    props.onView?.(next);
    if (rowsView !== undefined) setLines(rowsView && (rowsView[0] > 0 || rowsView[1] < rows.length) ? rowsView : null);
  };
  const at = (event) => {
    const rect = canvas.current.getBoundingClientRect();
    const { left, top, width, cell, height } = box.current ?? {};
    const [x, y] = [event.clientX - rect.left, event.clientY - rect.top];
    const inside = x >= left && x < left + width && y >= top && y < top + height;
    const column = view.columns[0] + Math.floor(((x - left) / width) * (view.columns[1] - view.columns[0]));
    const row = view.rows[0] + Math.floor((y - top) / cell);
    return { x, y, inside, column: clamp(column, view.columns), row: clamp(row, view.rows) };
  };
  const press = (event) => {
    const from = at(event);
    if (event.button || !from.inside) return;
    event.preventDefault();
    event.currentTarget.closest(".chart-body").focus({ preventScroll: true });
    let to = from;
    const move = (event) => {
      to = at(event);
      if (Math.hypot(to.x - from.x, to.y - from.y) > 5) setDrag({ from, to });
      setCursor({ row: to.row, column: to.column });
    };
    const up = () => {
      removeEventListener("mousemove", move);
      removeEventListener("mouseup", up);
      setDrag(null);
      if (Math.hypot(to.x - from.x, to.y - from.y) <= 5) return pick(from);
      const tall = Math.abs(to.y - from.y) > 8;
      zoom([Math.min(from.column, to.column), Math.max(from.column, to.column) + 1], tall ? [Math.min(from.row, to.row), Math.max(from.row, to.row) + 1] : undefined);
    };
    addEventListener("mousemove", move);
    addEventListener("mouseup", up);
  };
  const pick = ({ row, column }) => onPick?.({ row: rows[row], column: columns[column], value: rows[row].values[column] });
  const keys = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !some) return;
    const now = cursor ?? { row: view.rows[0], column: view.columns[1] - 1 };
    const far = event.shiftKey ? 10 : 1;
    const step = { ArrowLeft: [0, -far], ArrowRight: [0, far], ArrowUp: [-far, 0], ArrowDown: [far, 0], Home: [0, -1e9], End: [0, 1e9] }[event.key];
    if (event.key === "t") setTable(!table);
    else if (table) return;
    else if (step) setCursor(cursor ? { row: clamp(now.row + step[0], view.rows), column: clamp(now.column + step[1], view.columns) } : now);
    else if (event.key === "Enter" && cursor) pick(cursor);
    else if (event.key === "0") zoom(null, null);
    else if (event.key === "+" || event.key === "-") zoom(around(view.columns, now.column, event.key === "+" ? 0.5 : 2, columns.length));
    else if (event.key === "Escape" && cursor) setCursor(null);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const wheel = (event) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    zoom(around(view.columns, at(event).column, event.deltaY < 0 ? 0.8 : 1.25, columns.length));
  };
  const value = cursor && rows[cursor.row]?.values[cursor.column];
  const words = cursor && rows[cursor.row] ? `${rows[cursor.row].name}, ${position(columns[cursor.column], kind)}: ${value === null || value === undefined || Number.isNaN(value) ? "no value" : format.withUnit(value, unit, 5)}${rows[cursor.row].severity ? `; ${rows[cursor.row].severity} found` : ""}` : "";
  const ofRow = each && cursor ? each[cursor.row] : null;
  const place = useMemo(() => scaler(ofRow ?? limits, log), [ofRow, limits, log]);
  const holes = useMemo(() => signs(rows), [rows]);
  const zoomed = Boolean(span || lines);
  const steps = useMemo(() => (kind === "step" && uneven(columns.slice(...view.columns)) ? "; columns are saved steps, not equally far apart" : ""), [columns, view.columns, kind]);
  const body = () => {
    if (error && !some) return html`<${Failed} compact error=${error} again=${retry} />`;
    if (!some) return loading ? html`<${Loading} compact />` : html`<${Empty} compact command=${command}>${empty ?? "There are no values of this yet."}<//>`;
    if (table) return html`<${Values} rows=${rows} columns=${columns} kind=${kind} unit=${unit} height=${height} />`;
    return html`<div class="heat-cells" onMouseMove=${(event) => { const to = at(event); if (!drag) setCursor(to.inside ? { row: to.row, column: to.column } : null); }} onMouseLeave=${() => drag || setCursor(null)} onDblClick=${() => zoom(null, null)} onMouseDown=${press} onWheel=${wheel}>
      <canvas ref=${canvas} aria-hidden="true"></canvas>${cursor && html`<span class=${`heat-cursor ${drag ? "dragging" : ""}`} ref=${mark}></span>${!drag && html`${names === true && html`<span class="heat-name said" aria-hidden="true" ref=${nameOf}>${rows[cursor.row]?.name}</span>`}<span class="heat-tip said" aria-hidden="true" ref=${tip}>${words}</span>`}`}</div>`;
  };
  return html`<figure class="chart heat" ref=${root} aria-busy=${loading ? "true" : null}>
    <figcaption class="chart-head"><${heading} class="chart-title" title=${title}>${title}<//>${children}${loading && some && html`<span class="pulse" role="status" aria-label="Loading"></span>`}
      ${some && html`<span class="chart-tools stay">${zoomed && html`<button type="button" class="button plain small" onClick=${() => zoom(null, null)}><${Icon} name="reset" size=${14} />Show all</button>`}
        <button type="button" class="button plain small icon" aria-pressed=${table} aria-label="Values as a table" title="Values as a table (t)" onClick=${() => setTable(!table)}><${Icon} name="table" size=${14} /></button></span>`}</figcaption>
    <div class=${`chart-body ${some && !table ? "drawn" : ""}`} tabindex=${some ? 0 : null} role=${some ? "group" : null} aria-roledescription=${some ? "heat map" : null} aria-label=${some ? `${title}. ${summary(rows, columns, kind, unit)}${steps && ` Columns${steps.slice(9)}.`}` : null} onKeyDown=${keys}>${body()}</div>
    ${some && !table && html`<div class="line apart heat-foot"><${Bar} range=${ofRow ?? limits} words=${Boolean(each && !ofRow)} two=${two} log=${log} unit=${unit} holes=${holes.holes} odd=${holes.odd} at=${cursor && place(value) >= 0 ? place(value) / 255 : null} /><span class="heat-words said" aria-live="polite">${words}</span></div>`}
    ${some && html`<div class="chart-drawn">${format.several(rows.length, "row")} x ${format.several(columns.length, "column")}${steps}</div>`}
  </figure>`;
}

const none = [];

// useRoom is how wide the canvas may be while it is drawn. What it makes lives as long; within Heatmap it would hold the values of the first drawing.
function useRoom(canvas, drawing) {
  const [size, set] = useState(0);
  useLayoutEffect(() => {
    if (!drawing) return undefined;
    const measure = () => set(canvas.current?.parentElement.clientWidth ?? 0);
    measure();
    const observer = new ResizeObserver(() => nextFrame(measure));
    observer.observe(canvas.current.parentElement);
    return () => observer.disconnect();
  }, [drawing]);
  return size;
}

// around0 makes a range as far below 0 as above it, where two colours tell one from the other.
const around0 = ([low, high], two) => (two ? [-Math.max(-low, high), Math.max(-low, high)] : [low, high]);

// marked puts a text in place of values that are not finite.
function marked(row) {
  if (!row.odd?.length) return row;
  const values = Array.from(row.values);
  for (const column of row.odd) values[column] = "not finite";
  return { ...row, values };
}

const clamp = (value, [from, to]) => Math.max(from, Math.min(to - 1, value));
const rectangle = ({ from, to }) => ({ left: Math.min(from.x, to.x), top: Math.min(from.y, to.y), width: Math.abs(from.x - to.x), height: Math.abs(from.y - to.y) });

function around([from, to], column, factor, all) {
  const half = Math.max(2, Math.round((to - from) * factor));
  if (half >= all) return null;
  const start = Math.max(0, Math.min(all - half, Math.round(column - ((column - from) / Math.max(1, to - from)) * half)));
  return [start, start + half];
}

function signs(rows) {
  let holes = false, odd = false;
  for (const { values } of rows) for (const value of values) if (value === null || value === undefined || Number.isNaN(value)) holes = true; else if (typeof value === "string" || !Number.isFinite(value)) odd = true;
  return { holes, odd };
}

// summary says where the highest and lowest rows are.
function summary(rows, columns, kind, unit) {
  let low = null, high = null;
  for (const row of rows) {
    const values = [...row.values].filter(Number.isFinite);
    if (!values.length) continue;
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    if (!low || mean < low.mean) low = { row, mean };
    if (!high || mean > high.mean) high = { row, mean };
  }
  if (!low) return "There are no finite values.";
  return `${format.several(rows.length, "row")} from ${position(columns[0], kind)} to ${position(columns[columns.length - 1], kind)}. On average ${high.row.name} is highest with ${format.withUnit(high.mean, unit, 3)}, ${low.row.name} lowest with ${format.withUnit(low.mean, unit, 3)}.`;
}

function Values({ rows, columns, kind, unit, height }) {
  const shown = useMemo(() => {
    const every = Math.max(1, Math.ceil(columns.length / 60));
    return [{ id: "name", title: "", value: (row) => row.name, width: 220, pin: true }, ...[...columns.keys()].filter((c) => c % every === 0).map((c) => ({ id: String(c), title: position(columns[c], kind), number: true, width: 100, value: (row) => row.values[c], cell: (row) => format.withUnit(row.values[c], unit, 4) }))];
  }, [columns, kind, unit]);
  return html`<${Table} label="Values of the heat map" rows=${rows} columns=${shown} rowKey=${(row) => row.name} height=${height} dense />`;
}
