// The part of a matrix that is seen, as a table.
import { html, useMemo } from "../../vendor/preact.js";
import * as format from "../../core/format.js";
import { finest } from "./parts.js";
import { Table } from "../table.js";

const mostColumns = 100;

export function CellTable({ title, parts, view, height }) {
  const part = finest(parts, view);
  const [rows, columns] = useMemo(() => {
    if (!part) return [[], []];
    const rows = Array.from({ length: part.shownRows }, (_, r) => ({ r, row: part.rows[0] + r * part.rowStride })).filter(({ row }) => row >= Math.floor(view.top) && row < view.top + view.rows);
    const shown = Array.from({ length: part.shownColumns }, (_, c) => ({ c, column: part.columns[0] + c * part.columnStride })).filter(({ column }) => column >= Math.floor(view.left) && column < view.left + view.columns);
    const columns = [{ id: "row", title: "row", number: true, width: 72, pin: true, value: ({ row }) => row, cell: ({ row }) => format.count(row) }];
    for (const { c, column } of shown.slice(0, mostColumns)) {
      const value = ({ r }) => part.values[r * part.shownColumns + c];
      columns.push({ id: String(column), title: format.count(column), number: true, width: 88, value, cell: (row) => format.number(value(row), 5) });
    }
    return [rows, columns];
  }, [part, view.top, view.left, view.rows, view.columns]);
  return html`<${Table} label=${`Values of ${title}`} rows=${rows} columns=${columns} rowKey=${({ row }) => row} height=${height} dense />`;
}
