// Parts of a matrix that were read: the answers of /raw, with what a painter needs.
import { numbers } from "../../core/api.js";

// partOf makes a part of an answer.
export function partOf(answer) {
  const shown = (span, stride) => Math.ceil((span[1] - span[0]) / stride);
  return {
    rows: answer.rows, columns: answer.columns, rowStride: answer.row_stride, columnStride: answer.column_stride,
    shownRows: shown(answer.rows, answer.row_stride), shownColumns: shown(answer.columns, answer.column_stride), values: numbers(answer.values),
  };
}

const has = (part, row, column) => row >= part.rows[0] && row < part.rows[1] && column >= part.columns[0] && column < part.columns[1];

// valueAt is {value} of a cell, or {value, near: [row, column]} of the next one above and left of it that was read.
export function valueAt(parts, row, column) {
  const best = parts.filter((part) => has(part, row, column)).sort((a, b) => a.rowStride * a.columnStride - b.rowStride * b.columnStride)[0];
  if (!best) return {};
  const r = Math.floor((row - best.rows[0]) / best.rowStride), c = Math.floor((column - best.columns[0]) / best.columnStride);
  const value = best.values[r * best.shownColumns + c];
  const at = [best.rows[0] + r * best.rowStride, best.columns[0] + c * best.columnStride];
  return at[0] === row && at[1] === column ? { value } : { value, near: at };
}

// covers reports whether a part has all that is seen.
const covers = (part, view) => part.rows[0] <= Math.floor(view.top) && part.rows[1] >= Math.ceil(view.top + view.rows) && part.columns[0] <= Math.floor(view.left) && part.columns[1] >= Math.ceil(view.left + view.columns);

// finest is the part that shows a view best: of those that have all of it the finest, else the newest.
export function finest(parts, view) {
  const all = parts.filter((part) => covers(part, view));
  return all.reduce((best, part) => (part.rowStride * part.columnStride < best.rowStride * best.columnStride ? part : best), all[0]) ?? parts[0];
}

// kept adds a part to those that are remembered: the coarsest one and the last few.
export function kept(parts, part) {
  const coarsest = parts.reduce((best, one) => (!best || one.rowStride * one.columnStride > best.rowStride * best.columnStride ? one : best), null);
  return [part, ...parts.filter((one) => one !== part)].slice(0, 5).concat(coarsest && parts.indexOf(coarsest) > 3 ? [coarsest] : []);
}
