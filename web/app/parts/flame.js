// A flame graph: where the samples of a window are. Click or Enter zooms in, Escape out; the search marks what matches and says its share.
import { effect, html, useLayoutEffect, useMemo, useRef, useState } from "../vendor/preact.js";
import * as format from "../core/format.js";
import { matcher } from "../core/match.js";
import { nextFrame } from "../core/tick.js";
import { theme } from "../core/theme.js";
import { Empty, Failed, Loading } from "./empty.js";
import { paintFlame, rowHeight } from "./flame/paint.js";
import { found, kind, place, prepare } from "./flame/tree.js";
import { Icon } from "./icon.js";
import { Table } from "./table.js";

// <Flame title data=${answer of windows/{n}/flame} unit="samples" search=${q} zoom=${index} onZoom=${fn} onPick=${(frame) => ...} loading error command />
export function Flame({ title, heading = "h3", data, unit = "samples", search = "", zoom, onZoom, onPick, loading, error, retry, empty, command, children }) {
  const canvas = useRef(null);
  const body = useRef(null);
  const [width, setWidth] = useState(0);
  const [active, setActive] = useState(-1);
  const [own, setOwn] = useState(-1);
  const [table, setTable] = useState(false);
  const tree = useMemo(() => (data ? prepare(data) : null), [data]);
  const some = Boolean(tree?.count);
  const inside = zoom === undefined ? own : zoom;
  const root = some && inside >= 0 && inside < tree.count ? inside : -1;
  const placed = useMemo(() => (some && width ? place(tree, root, 0.6 / width) : []), [tree, root, width]);
  const matches = useMemo(() => {
    if (!some || !search.trim()) return null;
    const test = matcher(search);
    return Array.from({ length: tree.count }, (_, i) => test(`${tree.name[i]} ${tree.file?.[i] ?? ""}`));
  }, [tree, search]);
  const share = useMemo(() => (matches ? found(tree, matches) : null), [matches]);

  useLayoutEffect(() => {
    if (!some || table) return undefined;
    const measure = () => setWidth(canvas.current?.parentElement.clientWidth ?? 0);
    measure();
    const observer = new ResizeObserver(() => nextFrame(measure));
    observer.observe(canvas.current.parentElement);
    return () => observer.disconnect();
  }, [some, table]);
  useLayoutEffect(() => {
    if (!placed.length || table) return undefined;
    const mono = getComputedStyle(document.documentElement).getPropertyValue("--mono");
    return effect(() => {
      theme.value;
      paintFlame(canvas.current, { width, tree, placed, matches, active, mono });
    });
  }, [placed, matches, active, table]);

  const into = (i) => {
    setOwn(i);
    onZoom?.(i);
  };
  const at = (event) => {
    const rect = canvas.current.getBoundingClientRect();
    const x = (event.clientX - rect.left) / rect.width;
    const level = Math.floor((event.clientY - rect.top) / rowHeight);
    return placed.find((one) => one.level === level && x >= one.from && x < one.to)?.i ?? -1;
  };
  const steer = (key) => {
    if (active < 0) return root >= 0 ? root : tree.roots[0];
    const siblings = tree.parent[active] < 0 ? tree.roots : tree.children[tree.parent[active]];
    const here = siblings.indexOf(active);
    if (key === "ArrowUp") return tree.parent[active] < 0 ? active : tree.parent[active];
    if (key === "ArrowDown") return tree.children[active][0] ?? active;
    if (key === "ArrowLeft") return siblings[Math.max(0, here - 1)];
    return siblings[Math.min(siblings.length - 1, here + 1)];
  };
  const keys = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !some) return;
    if (event.key === "t") setTable(!table);
    else if (table) return;
    else if (event.key.startsWith("Arrow")) {
      const to = steer(event.key);
      if (root >= 0 && !placed.some((one) => one.i === to)) into(tree.parent[to] >= 0 ? tree.parent[to] : -1);
      setActive(to);
    } else if (event.key === "Enter" && active >= 0) into(active === root ? -1 : active);
    else if (event.key === "0") into(-1);
    else if (event.key === "Escape" && (root >= 0 || active >= 0)) {
      if (root >= 0) into(tree.parent[root]);
      else setActive(-1);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const shown = active >= 0 && some && active < tree.count ? active : root;
  const inner = () => {
    if (error && !some) return html`<${Failed} compact error=${error} again=${retry} />`;
    if (!some) return loading ? html`<${Loading} compact />` : html`<${Empty} compact command=${command}>${empty ?? "No samples were taken here."}<//>`;
    if (table) return html`<${Frames} tree=${tree} unit=${unit} onOpen=${(i) => { setTable(false); into(i); }} />`;
    return html`<div class="flame"><canvas ref=${canvas} aria-hidden="true" onMouseMove=${(event) => setActive(at(event))} onMouseLeave=${() => setActive(-1)}
      onClick=${(event) => { const i = at(event); if (i >= 0) { into(i === root ? -1 : i); onPick?.(frame(tree, i)); } }}></canvas></div>`;
  };
  return html`<figure class="chart" aria-busy=${loading ? "true" : null}>
    <figcaption class="chart-head"><${heading} class="chart-title" title=${title}>${title}<//>${children}
      ${share !== null && html`<span class="tag n" role="status">found: ${format.percent(share)}</span>`}
      ${some && html`<span class="chart-tools stay">${root >= 0 && html`<button type="button" class="button plain small" onClick=${() => into(-1)}><${Icon} name="reset" size=${14} />Show all</button>`}
        <button type="button" class="button plain small icon" aria-pressed=${table} aria-label="Functions as a table" title="Functions as a table (t)" onClick=${() => setTable(!table)}><${Icon} name="table" size=${14} /></button></span>`}</figcaption>
    <div class="chart-body" ref=${body} tabindex=${some ? 0 : null} role=${some ? "group" : null} aria-roledescription=${some ? "flame graph" : null} aria-label=${some ? `${title}. ${summary(tree, unit)}` : null} onKeyDown=${keys}>${inner()}</div>
    ${some && !table && html`<div class="flame-words" aria-live="polite">${shown >= 0 ? html`<span class="mono said strong">${tree.name[shown]}</span> ${tree.file?.[shown] && html`<span class="mono said quiet">${tree.file[shown]}${tree.line?.[shown] ? `:${tree.line[shown]}` : ""}</span>`}
        <span class="n nowrap">${figures(tree, shown, unit)}</span>` : html`<span class="quiet">${format.count(tree.all)} ${unit}, ${format.several(tree.count, "frame")}</span>`}</div>
      <ul class="flame-key small quiet">${tree.before ? html`<li><i class="less"></i>less than before</li><li><i class="same"></i>the same</li><li><i class="more"></i>more</li>` : html`<li><i class="own"></i>your code</li><li><i class="library"></i>libraries</li><li><i class="compiled"></i>compiled code</li>`}</ul>`}
  </figure>`;
}

const frame = (tree, i) => ({ i, name: tree.name[i], file: tree.file?.[i], line: tree.line?.[i], self: tree.self[i], total: tree.total[i] });

function figures(tree, i, unit) {
  const text = `${format.percent(tree.total[i] / tree.all)} in all, ${format.percent(tree.self[i] / tree.all)} in itself, ${format.count(tree.total[i])} ${unit}`;
  return tree.before ? `${text}; before ${format.count(tree.before[i])}` : text;
}

// summary names the frames that most samples are in themselves.
function summary(tree, unit) {
  const most = [...tree.self.keys()].sort((a, b) => tree.self[b] - tree.self[a]).slice(0, 3);
  return `${format.count(tree.all)} ${unit}. Most are in ${most.map((i) => `${tree.name[i]} (${format.percent(tree.self[i] / tree.all)})`).join(", ")}.`;
}

// Frames is a table of the functions: the frames of one place together.
function Frames({ tree, unit, onOpen }) {
  const rows = useMemo(() => {
    const byPlace = new Map();
    for (let i = 0; i < tree.count; i++) {
      const key = `${tree.name[i]}\n${tree.file?.[i] ?? ""}\n${tree.line?.[i] ?? ""}`;
      const row = byPlace.get(key) ?? byPlace.set(key, { key, i, name: tree.name[i], file: tree.file?.[i] ?? "", line: tree.line?.[i], self: 0, total: 0, kind: kind(tree, i) }).get(key);
      row.self += tree.self[i];
      // A function that calls itself is counted once.
      let above = tree.parent[i];
      while (above >= 0 && `${tree.name[above]}\n${tree.file?.[above] ?? ""}\n${tree.line?.[above] ?? ""}` !== key) above = tree.parent[above];
      if (above < 0) row.total += tree.total[i];
    }
    return [...byPlace.values()];
  }, [tree]);
  const columns = [
    { id: "name", title: "Function", value: (row) => row.name, cell: (row) => html`<span class="mono said">${row.name}</span>`, width: 260, pin: true },
    { id: "self", title: "In itself", number: true, value: (row) => row.self, cell: (row) => format.percent(row.self / tree.all) },
    { id: "total", title: "In all", number: true, value: (row) => row.total, cell: (row) => format.percent(row.total / tree.all) },
    { id: "samples", title: unit, number: true, value: (row) => row.total, cell: (row) => format.count(row.total) },
    { id: "file", title: "Place", value: (row) => `${row.file}:${row.line}`, cell: (row) => html`<span class="mono said quiet">${row.file}${row.line ? `:${row.line}` : ""}</span>`, width: 360 },
  ];
  return html`<${Table} label="Functions" rows=${rows} columns=${columns} rowKey=${(row) => row.key} first=${[{ id: "self", down: true }]} dense height=${420} onOpen=${(row) => onOpen(row.i)} />`;
}
