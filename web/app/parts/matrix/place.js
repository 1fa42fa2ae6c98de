// Where the cells of a matrix are on the canvas. A view is {top, left, rows, columns}: the part of the matrix that is seen, in cells.

// Room next to the cells for the indices.
export const margin = { left: 48, top: 20 };

// whole is the view that shows all, with square cells where that leaves them high enough.
export const whole = (shape) => ({ top: 0, left: 0, rows: Math.max(1, shape[0]), columns: Math.max(1, shape[1]) });

// heightOf is how high a canvas of a width should be for a matrix, within bounds.
export function heightOf(shape, width, most) {
  const cell = Math.min((width - margin.left) / Math.max(1, shape[1]), 56);
  return Math.round(Math.max(96, Math.min(most, margin.top + Math.max(cell, 20) * shape[0])));
}

// fitted keeps a view within the matrix and not nearer than 4 cells.
export function fitted(view, shape) {
  const columns = Math.max(Math.min(4, shape[1]), Math.min(view.columns, shape[1]));
  const rows = Math.max(Math.min(4, shape[0]), Math.min(view.rows, shape[0]));
  return { rows, columns, top: Math.max(0, Math.min(view.top, shape[0] - rows)), left: Math.max(0, Math.min(view.left, shape[1] - columns)) };
}

// zoomed takes a factor (below 1: nearer) around a cell, the same in both directions.
export function zoomed(view, shape, factor, row, column) {
  const next = (from, size, most, at) => {
    const length = Math.max(Math.min(4, most), Math.min(most, size * factor));
    return [at - ((at - from) * length) / size, length];
  };
  const [top, rows] = next(view.top, view.rows, shape[0], row);
  const [left, columns] = next(view.left, view.columns, shape[1], column);
  return fitted({ top, left, rows, columns }, shape);
}

// place is the geometry of a canvas: where a cell begins, and which cell is at a point.
export function place(view, width, height) {
  const cellWidth = (width - margin.left) / view.columns;
  const cellHeight = Math.min((height - margin.top) / view.rows, Math.max(cellWidth, 28) * 2);
  return {
    cellWidth, cellHeight,
    x: (column) => margin.left + (column - view.left) * cellWidth,
    y: (row) => margin.top + (row - view.top) * cellHeight,
    column: (x) => view.left + (x - margin.left) / cellWidth,
    row: (y) => view.top + (y - margin.top) / cellHeight,
  };
}

// spans is the part that is asked from the server for a view: whole cells, as the API writes them.
export function spans(view, shape) {
  const all = view.rows >= shape[0] && view.columns >= shape[1];
  if (all) return { rows: "", columns: "" };
  const span = (from, length, most) => `${Math.max(0, Math.floor(from))}:${Math.min(most, Math.ceil(from + length))}`;
  return { rows: span(view.top, view.rows, shape[0]), columns: span(view.left, view.columns, shape[1]) };
}

// parse reads a view from the address ("12:40" and "0:64"); what is no span of the matrix is all of it.
export function parse(rows, columns, shape) {
  const read = (text, most) => {
    const [from, to] = /^(\d+):(\d+)$/.exec(text)?.slice(1).map(Number) ?? [];
    return to > from && from < most ? [from, Math.min(to, most) - from] : [0, Math.max(1, most)];
  };
  const [top, height] = read(rows, shape[0]);
  const [left, width] = read(columns, shape[1]);
  return fitted({ top, left, rows: height, columns: width }, shape);
}
