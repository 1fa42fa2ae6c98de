// The tensors of a run as a tree: modules in the order of the network, their tensors, then what belongs to no module, by kind.
import { html, useEffect, useMemo, useState } from "../../vendor/preact.js";
import * as format from "../../core/format.js";
import { matcher } from "../../core/match.js";
import { Search } from "../../parts/search.js";
import { Choice } from "../../parts/tabs.js";
import { Tree } from "../../parts/tree.js";

const narrow = matchMedia("(max-width: 900px)");

export function Outline({ tensors, collections, selected, route, choose }) {
  const [open, setOpen] = useState(!narrow.matches);
  const q = route.get("q");
  const collection = route.get("collection");
  const shown = useMemo(() => {
    const found = matcher(q);
    return tensors.filter((tensor) => (!collection || tensor.collections.includes(collection)) && found(`${tensor.name} ${tensor.module} ${tensor.module_type}`));
  }, [tensors, q, collection]);
  const byCollection = route.get("tree") === "collections";
  const nodes = useMemo(() => (byCollection ? collected(shown, collections) : outline(shown)), [shown, byCollection, collections]);
  const [unfolded, setUnfolded] = useState(() => new Set(opened(outline(tensors), selected)));
  // A tensor that was chosen elsewhere is to be seen.
  useEffect(() => setUnfolded((old) => new Set([...old, ...opened(outline(tensors), selected, 0)])), [selected?.name]);
  const pick = (node) => {
    if (!node.tensor) {
      const next = new Set(unfolded);
      if (!next.delete(node.id)) next.add(node.id);
      return setUnfolded(next);
    }
    choose(node.tensor);
    if (narrow.matches) setOpen(false);
  };
  const searching = Boolean(q || collection);
  return html`<section class="card tensors-outline" aria-label="All tensors">
    <header><h2>${format.several(tensors.length, "tensor")}</h2>
      <${Choice} label="Order" options=${[["modules", "Modules"], ["collections", "Collections"]]} value=${byCollection ? "collections" : "modules"} onChange=${(next) => route.set({ tree: next === "modules" ? null : next })} />
      <button type="button" class="button plain small tensors-fold" aria-expanded=${open} onClick=${() => setOpen(!open)}>${open ? "Hide" : "Show"}</button></header>
    <div class="tensors-find" hidden=${!open}>
      <${Search} wide label="Search tensors" where="Tensors" value=${q} onChange=${(text) => route.set({ q: text })} count=${searching ? `${format.count(shown.length)}` : ""} />
      <label class="field small"><span class="sr">Collection</span><select value=${collection} onChange=${(event) => route.set({ collection: event.target.value })}>
        <option value="">All collections</option>
        ${collections.map((one) => html`<option key=${one.name} value=${one.name}>${one.name} (${format.count(one.count)})</option>`)}
      </select></label>
    </div>
    ${open && (shown.length
      ? html`<${Tree} key=${searching} label="Tensors" nodes=${nodes} all=${searching} open=${unfolded} onOpen=${setUnfolded} selected=${selected && (byCollection ? `${selected.collections[0] ?? "in no collection"} ${selected.name}` : selected.name)} height=${narrow.matches ? "40vh" : "calc(100vh - 270px)"} onSelect=${pick} />`
      : html`<p class="empty compact quiet">No tensor matches.</p>`)}
  </section>`;
}

// collected makes a node of each collection, and one of what is in none.
function collected(tensors, collections) {
  const node = (name, list) => ({ id: `collection ${name}`, label: name, beside: format.count(list.length), children: list.map((tensor) => ({ ...leaf(tensor, tensor.name), id: `${name} ${tensor.name}` })) });
  const nodes = collections.map(({ name }) => node(name, tensors.filter((tensor) => tensor.collections.includes(name))));
  return [...nodes, node("in no collection", tensors.filter((tensor) => !tensor.collections.length))].filter((one) => one.children.length);
}

const groups = { loss: "Losses", metric: "Logged numbers", input: "Inputs", output: "Outputs", label: "Labels", prediction: "Predictions", state: "Optimiser", custom: "Saved" };

// outline makes the nodes of the tree.
function outline(tensors) {
  const root = { children: [], below: new Map() };
  const at = (parts, make) => {
    let node = root;
    parts.forEach((part, i) => {
      if (!node.below.has(part)) {
        const child = { id: make(i), label: part, children: [], below: new Map(), type: "" };
        node.below.set(part, child);
        node.children.push(child);
      }
      node = node.below.get(part);
    });
    return node;
  };
  const last = [];
  // Parameters first: their order is that of the network.
  const order = (tensor) => (["weight", "bias", "gradient"].includes(tensor.kind) ? 0 : 1);
  for (const tensor of [...tensors].sort((a, b) => order(a) - order(b))) {
    const ofLayer = tensor.module && tensor.kind !== "loss" && tensor.kind !== "metric";
    if (!ofLayer) {
      last.push(tensor);
      continue;
    }
    const parts = tensor.module.split(".");
    const node = at(parts, (i) => `module ${parts.slice(0, i + 1).join(".")}`);
    node.type = tensor.module_type;
    node.children.push(leaf(tensor, shortName(tensor)));
  }
  for (const tensor of last) {
    const group = groups[tensor.kind] ?? "Others";
    at([group], () => `group ${group}`).children.push(leaf(tensor, tensor.name));
  }
  return joined(root.children);
}

const leaf = (tensor, label) => ({ id: tensor.name, label, tensor, beside: tensor.strings ? "strings" : tensor.shape.length ? tensor.shape.join("\u00d7") : "" });

// joined puts a module that holds nothing but another one into one line: layer1.0.
function joined(nodes) {
  return nodes.map((node) => {
    if (!node.children) return node;
    let { label, children, type, id } = node;
    while (children.length === 1 && children[0].children) {
      label += `.${children[0].label}`;
      ({ children, type, id } = children[0]);
    }
    return { id, label, beside: type, children: joined(children) };
  });
}

// shortName is what a tensor is called within its module: weight, gradient of weight, output.
export function shortName({ name, module, kind }) {
  const at = name.lastIndexOf(module);
  const rest = at < 0 ? name : name.slice(at + module.length).replace(/^[._/]+/, "").replace(/_0$/, "");
  if (kind === "gradient") return `gradient of ${rest || "output"}`;
  return rest || kind;
}

// opened are the nodes that are open at first: those around the selected tensor; all of a small network.
function opened(nodes, selected, most = 60) {
  const ids = [];
  const visit = (node) => {
    const holds = node.tensor ? node.tensor.name === selected?.name : node.children.map(visit).some(Boolean);
    if (holds && !node.tensor) ids.push(node.id);
    return holds;
  };
  nodes.forEach(visit);
  const all = [];
  const each = (node) => {
    all.push(node);
    node.children?.forEach(each);
  };
  nodes.forEach(each);
  return all.length <= most ? all.filter((node) => node.children).map((node) => node.id) : ids;
}
