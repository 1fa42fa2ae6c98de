// A table of any number of rows: only those in sight are in the document, of many columns also only those. Sorted, grouped, resized; every row is reached by keys.
import { html, useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from "../vendor/preact.js";
import { keep, kept } from "../core/kept.js";
import { nextFrame } from "../core/tick.js";
import { Head } from "./table/head.js";
import { grouped, sorted } from "./table/order.js";
import { Group, Row } from "./table/row.js";
import { focusedColumn, inSight, partsOf } from "./table/sight.js";
import { typing } from "../core/keys.js";
import { Empty } from "./empty.js";

export { ColumnChooser } from "./table/chooser.js";

const coarse = matchMedia("(pointer: coarse)");
const none = [];

// Table; columns: [{id, title, value(row), cell(row), order(row), number, width, pin, sortable, hint, class}].
// sort with onSort, active (a key) with onActive, chosen (a Set of keys) with onChosen may be given, else the table keeps them itself.
// name: widths are kept under it. top: another value (a filter) shows the first row again. groupBy: id of a column. onOpen(row): Enter, or double click. height: pixels or a CSS length.
export function Table(props) {
  const { rows = none, columns, rowKey, label, name, height = 480, dense = false, onOpen, onSort, onActive, chosen, onChosen, groupBy, groupSummary, rowClass, empty = "There is nothing here.", first = none } = props;
  const id = useId();
  const box = useRef(null);
  const rowHeight = coarse.matches ? 40 : dense ? 26 : 32;
  const [ownSort, setOwnSort] = useState(first);
  const [ownActive, setOwnActive] = useState(null);
  const [closed, setClosed] = useState(() => new Set());
  const [window, setWindow] = useState([0, 40]);
  const [span, setSpan] = useState([0, 16, -1]);
  const [kinds, setWidths] = useState(() => (name ? kept(`widths.${name}`, {}) : {}));
  const lastChosen = useRef(null);

  const sort = props.sort ?? ownSort;
  const active = props.active === undefined ? ownActive : props.active;
  const list = useMemo(() => grouped(sorted(rows, columns, sort), columns.find((column) => column.id === groupBy), closed), [rows, columns, sort, groupBy, closed]);
  const keyOf = (one) => (one.group !== undefined && one.rows ? `group ${one.group}` : rowKey(one));
  const at = useMemo(() => (active === null ? -1 : list.findIndex((one) => keyOf(one) === active)), [list, active]);
  const widths = (column) => kinds[column.id] ?? column.width ?? (column.number ? 96 : 160);
  const onWidth = (column, width) => setWidths((old) => {
    const next = { ...old, [column]: width ?? undefined };
    if (name) keep(`widths.${name}`, next);
    return next;
  });

  const look = () => {
    const element = box.current;
    if (!element) return;
    const from = Math.max(0, Math.floor(element.scrollTop / rowHeight) - 8);
    const to = Math.ceil((element.scrollTop + element.clientHeight) / rowHeight) + 8;
    setWindow((old) => (old[0] === from && old[1] === to ? old : [from, to]));
    const next = [...inSight(columns.map(widths), element.scrollLeft, element.clientWidth), focusedColumn(element, Boolean(onChosen))];
    setSpan((old) => (next.every((value, i) => value === old[i]) ? old : next));
  };
  const latest = useRef(look);
  latest.current = look;
  useLayoutEffect(look, [list.length, height, rowHeight, columns, kinds]);
  useLayoutEffect(() => {
    box.current.scrollTop = 0;
  }, [props.top]);
  useEffect(() => {
    const again = () => latest.current();
    const observer = new ResizeObserver(() => nextFrame(again));
    observer.observe(box.current);
    return () => observer.disconnect();
  }, []);

  const activate = (index) => {
    const one = list[index];
    if (!one) return;
    setOwnActive(keyOf(one));
    if (!one.rows || one.group === undefined) onActive?.(one);
    const element = box.current;
    const head = element.querySelector("thead").offsetHeight;
    const top = index * rowHeight;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + rowHeight + head > element.scrollTop + element.clientHeight) element.scrollTop = top + rowHeight + head - element.clientHeight + 2;
    nextFrame(look);
  };
  const toggleGroup = (group) => setClosed((old) => {
    const next = new Set(old);
    if (!next.delete(group)) next.add(group);
    return next;
  });
  const choose = (row, event) => {
    const next = new Set(chosen);
    const key = rowKey(row);
    const yes = !next.has(key);
    const from = event?.shiftKey ? list.findIndex((one) => keyOf(one) === lastChosen.current) : -1;
    const to = list.indexOf(row);
    const picked = from >= 0 ? list.slice(Math.min(from, to), Math.max(from, to) + 1).filter((one) => one.group === undefined) : [row];
    for (const one of picked) next[yes ? "add" : "delete"](rowKey(one));
    lastChosen.current = key;
    onChosen(next);
  };
  const acts = useRef(null);
  acts.current = { activate, choose, open: (row) => onOpen?.(row) };
  const keys = (event) => {
    if (typing(event.target) || event.ctrlKey || event.metaKey || event.altKey || event.target.closest("thead")) return;
    const page = Math.max(1, Math.floor(box.current.clientHeight / rowHeight) - 2);
    const to = { ArrowDown: at + 1, ArrowUp: at < 0 ? 0 : at - 1, PageDown: at + page, PageUp: at - page, Home: 0, End: list.length - 1 }[event.key];
    const one = list[at];
    if (to !== undefined) activate(Math.max(0, Math.min(list.length - 1, to)));
    else if (one?.group !== undefined && one.rows && ["Enter", " ", "ArrowLeft", "ArrowRight"].includes(event.key)) toggleGroup(one.group);
    else if (event.key === "Enter" && one && onOpen && event.target === box.current) onOpen(one);
    else if (event.key === " " && one && onChosen) choose(one, event);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  const [from, to] = [Math.min(window[0], list.length), Math.min(window[1], list.length)];
  const parts = useMemo(() => partsOf(columns, span, span[2]), [columns, span]);
  const wide = columns.length + (onChosen ? 1 : 0);
  const total = columns.reduce((sum, column) => sum + widths(column), onChosen ? 36 : 0);
  const length = (css, value) => (node) => node?.style.setProperty(css, value);
  return html`<div class=${`table ${dense ? "dense" : ""}`} ref=${(node) => { box.current = node; node?.style.setProperty("max-height", typeof height === "number" ? `${height}px` : height); }} tabindex="0"
      aria-activedescendant=${at >= from && at < to ? `${id}-${at}` : null} role="group" aria-label=${label} onScroll=${() => nextFrame(look)} onKeyDown=${keys}>
    <table role="grid" aria-label=${label} aria-rowcount=${list.length + 1} aria-colcount=${wide} ref=${length("min-width", `${total}px`)}>
      <colgroup>${onChosen && html`<col ref=${length("width", "36px")} />`}${columns.map((column) => html`<col key=${column.id} ref=${length("width", `${widths(column)}px`)} />`)}</colgroup>
      <${Head} columns=${columns} sort=${sort} onSort=${(next) => { setOwnSort(next); onSort?.(next); }} widths=${widths} onWidth=${onWidth} choosable=${Boolean(onChosen)}
        allChosen=${rows.length > 0 && chosen?.size >= rows.length} onChooseAll=${(event) => onChosen(new Set(event.target.checked ? rows.map(rowKey) : []))} />
      <tbody>
        ${from > 0 && html`<tr key="above" aria-hidden="true" class="space"><td colspan=${wide} ref=${length("height", `${from * rowHeight}px`)}></td></tr>`}
        ${list.slice(from, to).map((one, i) => {
          const index = from + i;
          const key = keyOf(one);
          if (one.group !== undefined && one.rows) return html`<${Group} key=${key} id=${`${id}-${index}`} index=${index} group=${one} columns=${wide} active=${index === at} summary=${groupSummary} onToggle=${() => { activate(index); toggleGroup(one.group); }} />`;
          return html`<${Row} key=${key} id=${`${id}-${index}`} index=${index} row=${one} parts=${parts} active=${index === at} chosen=${chosen?.has(key) ?? false} choosable=${Boolean(onChosen)} className=${rowClass?.(one)}
            acts=${acts} />`;
        })}
        ${to < list.length && html`<tr key="below" aria-hidden="true" class="space"><td colspan=${wide} ref=${length("height", `${(list.length - to) * rowHeight}px`)}></td></tr>`}
      </tbody>
    </table>
    ${!list.length && (typeof empty === "string" ? html`<${Empty} compact>${empty}<//>` : empty)}
  </div>`;
}
