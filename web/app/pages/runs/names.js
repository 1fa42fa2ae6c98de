// The names of tags, parameters and values that the listed runs have.

// namesOf are {tags, parameters, values, less: values of which less is better}, in the order of their names: tags as the rows have them, the others as the server tells them, since not all of them are in the rows.
export function namesOf(rows, told) {
  const tags = new Set();
  for (const row of rows) for (const name in row.tags) tags.add(name);
  const order = new Intl.Collator("en", { numeric: true, sensitivity: "base" }).compare;
  const lossFirst = (a, b) => (b === "loss") - (a === "loss") || (b === "loss (EVAL)") - (a === "loss (EVAL)") || order(a, b);
  return { tags: sorted(tags, order), parameters: sorted(told.parameters, order), values: sorted(told.values, lossFirst), less: told.less };
}

const sorted = (set, order) => new Set([...set].sort(order));

// sameNames reports whether two collections are alike, so that columns are made again only when they are not.
export const sameNames = (a, b) => Boolean(a) && ["tags", "parameters", "values", "less"].every((kind) => a[kind].size === b[kind].size && [...a[kind]].every((name) => b[kind].has(name)));
