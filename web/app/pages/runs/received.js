// What GET /table answers, put into rows: members of a run by their names, values and parameters in cells["last.loss"], cells["param.lr"].
import { numbers } from "../../core/api.js";
import { keep } from "./losses.js";

const longest = 8000; // characters of an address that name columns

// parcels are the columns in as many requests as their names need; at least one.
export function parcels(columns) {
  const list = [[]];
  let length = 0;
  for (const id of columns) {
    length += encodeURIComponent(id).length + 3;
    if (length > longest && list.at(-1).length) {
      list.push([]);
      length = 0;
    }
    list.at(-1).push(id);
  }
  return list;
}

// take puts an answer, or members of runs, into rows by name. A row that changes is another object.
export function take({ runs, cells, members = [] }, known) {
  // A duration goes on from when it came.
  const timed = members.some((one) => one.duration !== undefined) || cells.some(({ id }) => id === "duration");
  const rows = runs.map((name, i) => {
    const before = known.get(name);
    return { ...before, ...members[i], name, came: timed || !before ? Date.now() : before.came, cells: { ...before?.cells } };
  });
  for (const { id, ...column } of cells) {
    const list = valuesOf(column, rows.length);
    if (id === "losses") rows.forEach((row, i) => keep(row, list[i] ?? []));
    else if (id.includes(".")) rows.forEach((row, i) => { row.cells[id] = list[i]; });
    else rows.forEach((row, i) => { row[id] = list[i]; });
  }
  for (const row of rows) {
    row.searched = [row.name, row.title ?? "", row.note ?? "", ...Object.entries(row.tags ?? {}).map(([key, value]) => (value ? `${key}=${value}` : key))];
    known.set(row.name, row);
  }
}

// valuesOf are those of so many runs; undefined of a run that has none.
function valuesOf({ rows, numbers: given, values, at }, length) {
  const of = given ? numbers(given) : Array.from(at, (i) => values[i]);
  if (!rows) return of;
  const list = new Array(length).fill(undefined);
  rows.forEach((row, i) => { list[row] = of[i]; });
  return list;
}
