// A flame graph as columns: parent[i] is an index below i, or -1 for a root.

// prepare gives each frame its depth, its children (largest first) and the number of them all.
// data: {function[] or name[], parent[], self[], total[], file[], line[], before[], own[]}, as the server sends it, or {roots: [...]} nested.
export function prepare(data) {
  const columns = data.roots ? columnsOf(data.roots) : { ...data, name: data.name ?? data.function ?? [] };
  const count = columns.name.length;
  const children = Array.from({ length: count }, () => []);
  const depth = new Uint16Array(count);
  const roots = [];
  for (let i = 0; i < count; i++) {
    const parent = columns.parent[i];
    if (parent < 0) roots.push(i);
    else {
      children[parent].push(i);
      depth[i] = depth[parent] + 1;
    }
  }
  const byTotal = (a, b) => columns.total[b] - columns.total[a] || (columns.name[a] < columns.name[b] ? -1 : 1);
  roots.sort(byTotal);
  for (const list of children) list.sort(byTotal);
  return { ...columns, count, children, depth, roots, all: (typeof data.total === "number" && data.total) || roots.reduce((sum, i) => sum + columns.total[i], 0) };
}

function columnsOf(roots) {
  const columns = { name: [], parent: [], self: [], total: [], file: [], line: [], before: [] };
  let differs = false;
  const add = (node, parent) => {
    const i = columns.name.length;
    columns.name.push(node.name);
    columns.parent.push(parent);
    columns.self.push(node.self ?? 0);
    columns.total.push(node.total);
    columns.file.push(node.file ?? "");
    columns.line.push(node.line ?? 0);
    columns.before.push(node.before ?? 0);
    differs ||= typeof node.before === "number";
    for (const child of node.children ?? []) add(child, i);
  };
  for (const root of roots) add(root, -1);
  if (!differs) columns.before = null;
  return columns;
}

// place lays the frames out between 0 and 1 for a zoom into one frame (-1: all): [{i, from, to, level}], too narrow ones left out.
export function place(tree, zoom, least) {
  const placed = [];
  const above = [];
  for (let i = zoom; i >= 0; i = tree.parent[i]) above.unshift(i);
  above.forEach((i, level) => placed.push({ i, from: 0, to: 1, level, above: i !== zoom }));
  const lay = (list, from, width, total, level) => {
    let at = from;
    for (const i of list) {
      const wide = total > 0 ? (tree.total[i] / total) * width : 0;
      if (wide >= least) {
        placed.push({ i, from: at, to: at + wide, level, above: false });
        lay(tree.children[i], at, wide, tree.total[i], level + 1);
      }
      at += wide;
    }
  };
  if (zoom < 0) lay(tree.roots, 0, 1, tree.all, 0);
  else lay(tree.children[zoom], 0, 1, tree.total[zoom], above.length);
  return placed;
}

// kind says whose code a frame is: "own", "library" or "compiled".
export function kind(tree, i) {
  if (tree.own?.[i]) return "own";
  const file = tree.file?.[i] ?? "";
  if (!file || file.startsWith("<") || /\.(so|dll|dylib)\b/.test(file)) return "compiled";
  if (tree.own) return "library";
  return /site-packages|dist-packages|\/lib\/python|\/go\/(pkg\/mod|src)\/|\/usr\/lib|\/runtime\//.test(file) ? "library" : "own";
}

// share of all samples in frames that match, each sample counted once.
export function found(tree, matches) {
  let sum = 0;
  const walk = (i) => {
    if (matches[i]) sum += tree.total[i];
    else tree.children[i].forEach(walk);
  };
  tree.roots.forEach(walk);
  return tree.all ? sum / tree.all : 0;
}
