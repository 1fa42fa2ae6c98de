// The names of tags, parameters and values that the listed runs have.

const none = new Set();
const cache = new WeakMap();

// namesOf collects them over rows: {tags, parameters, values}, in the order of their names.
export function namesOf(rows) {
  if (cache.has(rows)) return cache.get(rows);
  const found = { tags: new Set(), parameters: new Set(), values: new Set() };
  for (const row of rows) {
    for (const kind of ["tags", "parameters", "values"]) {
      for (const name in row[kind] ?? none) found[kind].add(name);
    }
  }
  const order = new Intl.Collator("en", { numeric: true, sensitivity: "base" }).compare;
  const lossFirst = (a, b) => (b === "loss") - (a === "loss") || (b === "loss (EVAL)") - (a === "loss (EVAL)") || order(a, b);
  const names = { tags: sorted(found.tags, order), parameters: sorted(found.parameters, order), values: sorted(found.values, lossFirst) };
  cache.set(rows, names);
  return names;
}

const sorted = (set, order) => new Set([...set].sort(order));

// sameNames tells whether two collections are alike, so that columns are made anew only when they are not.
export const sameNames = (a, b) => Boolean(a) && ["tags", "parameters", "values"].every((kind) => a[kind].size === b[kind].size && [...a[kind]].every((name) => b[kind].has(name)));
