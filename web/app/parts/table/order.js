// The order of the rows of a table: sorted by columns, grouped by one.

// compare orders values of any kind: numbers before texts, what is missing or not a number last, texts as people count (run-2 before run-10).
const texts = new Intl.Collator("en", { numeric: true, sensitivity: "base" });
const missing = (value) => value === null || value === undefined || value === "" || Number.isNaN(value);

export function compare(a, b, down = false) {
  const none = missing(a) - missing(b);
  if (none || missing(a)) return none;
  const numeric = typeof a === "number" && typeof b === "number";
  const order = numeric ? (a < b ? -1 : a > b ? 1 : 0) : typeof a === "number" ? -1 : typeof b === "number" ? 1 : texts.compare(String(a), String(b));
  return down ? -order : order;
}

// sorted is the rows by [{id, down}], stable.
export function sorted(rows, columns, sort) {
  const by = sort.map(({ id, down }) => ({ column: columns.find((column) => column.id === id), down })).filter(({ column }) => column);
  if (!by.length) return rows;
  const keyed = rows.map((row) => ({ row, keys: by.map(({ column }) => (column.order ?? column.value)(row)) }));
  keyed.sort((a, b) => {
    for (let i = 0; i < by.length; i++) {
      const order = compare(a.keys[i], b.keys[i], by[i].down);
      if (order) return order;
    }
    return 0;
  });
  return keyed.map(({ row }) => row);
}

// grouped puts a heading {group, count, rows} before the rows of each value of a column; closed ones keep their rows to themselves.
export function grouped(rows, column, closed) {
  if (!column) return rows;
  const groups = new Map();
  for (const row of rows) {
    const value = column.value(row);
    const name = missing(value) ? "none" : String(value);
    (groups.get(name) ?? groups.set(name, []).get(name)).push(row);
  }
  return [...groups].flatMap(([group, members]) => [{ group, rows: members, closed: closed.has(group) }, ...(closed.has(group) ? [] : members)]);
}
