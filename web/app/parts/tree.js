// A tree of any size: only the lines in sight are in the document. Arrow keys open, close and move; letters find.
import { html, useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from "../vendor/preact.js";
import { nextFrame } from "../core/tick.js";
import { Icon } from "./icon.js";

// <Tree label="Tensors" nodes=${[{id, label, next to, children: [...]}]} selected=${id} onSelect=${(node) => ...} open=${Set of ids} onOpen=${(set) => ...} />
// all: everything is open (while a search is on). mark(label) may give parts of a label to be shown strong.
export function Tree({ label, nodes, selected, onSelect, open, onOpen, all = false, height = 480, first = [] }) {
  const id = useId();
  const box = useRef(null);
  const [own, setOwn] = useState(() => new Set(first));
  const [at, setAt] = useState(selected ?? null);
  const [view, setView] = useState([0, 40]);
  const opened = open ?? own;
  const rowHeight = 26;
  const lines = useMemo(() => flatten(nodes, opened, all), [nodes, opened, all]);
  const where = Math.max(0, lines.findIndex(({ node }) => node.id === (at ?? selected)));

  const look = () => {
    const { scrollTop, clientHeight } = box.current ?? {};
    if (scrollTop === undefined) return;
    const next = [Math.max(0, Math.floor(scrollTop / rowHeight) - 6), Math.ceil((scrollTop + clientHeight) / rowHeight) + 6];
    setView((old) => (old[0] === next[0] && old[1] === next[1] ? old : next));
  };
  useLayoutEffect(look, [lines.length, height]);
  useEffect(() => setAt(selected ?? null), [selected]);
  // What is selected is brought into sight once: at once, or when the branch that it is on opens.
  const revealed = useRef(null);
  useEffect(() => {
    if (revealed.current === selected) return;
    const i = lines.findIndex(({ node }) => node.id === selected);
    revealed.current = i < 0 ? null : selected;
    if (i >= 0) reveal(i);
  }, [selected, lines]);

  const reveal = (i) => {
    const element = box.current;
    if (i * rowHeight < element.scrollTop) element.scrollTop = i * rowHeight;
    else if ((i + 1) * rowHeight > element.scrollTop + element.clientHeight) element.scrollTop = (i + 1) * rowHeight - element.clientHeight;
    nextFrame(look);
  };
  const move = (i) => {
    const to = Math.max(0, Math.min(lines.length - 1, i));
    if (!lines[to]) return;
    setAt(lines[to].node.id);
    reveal(to);
  };
  const toggle = (node, yes) => {
    const next = new Set(opened);
    next[yes ?? !next.has(node.id) ? "add" : "delete"](node.id);
    setOwn(next);
    onOpen?.(next);
  };
  const choose = (node) => {
    setAt(node.id);
    if (node.children?.length && node.group !== false && !onSelect) toggle(node);
    else onSelect?.(node);
  };
  const keys = (event) => {
    const line = lines[where];
    if (!line || event.ctrlKey || event.metaKey || event.altKey) return;
    const { node, depth, expanded } = line;
    const parent = () => lines.slice(0, where).findLastIndex((one) => one.depth < depth);
    switch (event.key) {
      case "ArrowDown": move(where + 1); break;
      case "ArrowUp": move(where - 1); break;
      case "PageDown": move(where + 15); break;
      case "PageUp": move(where - 15); break;
      case "Home": move(0); break;
      case "End": move(lines.length - 1); break;
      case "ArrowRight": if (node.children?.length && !expanded) toggle(node, true); else move(where + 1); break;
      case "ArrowLeft": if (node.children?.length && expanded && !all) toggle(node, false); else if (depth) move(parent()); break;
      case "Enter": case " ": choose(node); break;
      default: {
        if (event.key.length !== 1) return;
        const letter = event.key.toLowerCase();
        const rest = [...lines.keys()].map((i) => (i + where + 1) % lines.length);
        const hit = rest.find((i) => lines[i].node.label.toLowerCase().startsWith(letter));
        if (hit === undefined) return;
        move(hit);
      }
    }
    event.preventDefault();
    event.stopPropagation();
  };
  const [from, to] = [Math.min(view[0], lines.length), Math.min(view[1], lines.length)];
  const set = (css, value) => (node) => node?.style.setProperty(css, value);
  return html`<div class="tree" role="tree" aria-label=${label} tabindex="0" aria-activedescendant=${where >= from && where < to ? `${id}-${where}` : null} onKeyDown=${keys} onScroll=${() => nextFrame(look)}
      ref=${(node) => { box.current = node; set("max-height", typeof height === "number" ? `${height}px` : height)(node); }}>
    <div role="presentation" ref=${set("height", `${from * rowHeight}px`)}></div>
    ${lines.slice(from, to).map(({ node, depth, expanded }, i) => html`<div key=${node.id} role="treeitem" id=${`${id}-${from + i}`} aria-level=${depth + 1} aria-expanded=${node.children?.length ? expanded : null} aria-selected=${node.id === selected}
        class=${`tree-line ${from + i === where ? "active" : ""}`} ref=${set("padding-left", `${depth * 16 + 4}px`)} title=${node.label} onClick=${() => choose(node)}>
      ${node.children?.length ? html`<span class="tree-toggle" onClick=${(event) => { event.stopPropagation(); toggle(node); }}><${Icon} name=${expanded ? "down" : "right"} size=${12} /></span>` : html`<span class="tree-toggle"></span>`}
      <span class="cut said grow">${node.label}</span>${node.beside && html`<span class="faint small n nowrap">${node.beside}</span>`}</div>`)}
    <div role="presentation" ref=${set("height", `${(lines.length - to) * rowHeight}px`)}></div>
  </div>`;
}

function flatten(nodes, opened, all, depth = 0, into = []) {
  for (const node of nodes) {
    const expanded = Boolean(node.children?.length && (all || opened.has(node.id)));
    into.push({ node, depth, expanded });
    if (expanded) flatten(node.children, opened, all, depth + 1, into);
  }
  return into;
}

// nested makes a tree of names with dots: nested(["a.b", "a.c"], (name) => name) gives a with b and c. Parts with one child are joined.
export function nested(items, nameOf, more = () => ({})) {
  const root = new Map();
  for (const item of items) {
    let level = root;
    const parts = nameOf(item).split(/[./]/);
    parts.forEach((part, i) => {
      if (!level.has(part)) level.set(part, { id: parts.slice(0, i + 1).join("."), label: part, below: new Map(), item: null });
      const entry = level.get(part);
      if (i === parts.length - 1) entry.item = item;
      level = entry.below;
    });
  }
  const build = (level) => [...level.values()].map((entry) => {
    let { id, label, below, item } = entry;
    while (!item && below.size === 1) {
      const [only] = below.values();
      label += `.${only.label}`;
      ({ id, below, item } = only);
    }
    const children = build(below);
    return { id: item ? nameOf(item) : `${id}.`, label, item, ...(children.length ? { children } : {}), ...(item ? more(item) : { beside: String(leaves(children)) }) };
  });
  return build(root);
}

const leaves = (nodes) => nodes.reduce((sum, node) => sum + (node.item ? 1 : 0) + (node.children ? leaves(node.children) : 0), 0);
