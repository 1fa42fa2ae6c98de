// Where tiles lie: next to and below each other, with a gap between. Places are counted in values of the tensor, as those of a matrix are.

// No value is drawn larger than this while all are seen.
const largest = 40;

// mosaicOf lays tiles out so that they are as large as may be in a box: {across, shape, height, at(i), tile(row, column), place(view, width, height)}.
export function mosaicOf(count, height, width, box) {
  const gap = count > 1 ? Math.max(1, Math.round(Math.max(height, width) / 24)) : 0;
  const shaped = (across) => [Math.ceil(count / across) * (height + gap) - gap, across * (width + gap) - gap];
  let best = 1, size = 0;
  for (let across = 1; across <= count; across++) {
    const [rows, columns] = shaped(across);
    const cell = Math.min(largest, box.width / columns, box.height / rows);
    if (cell > size) [best, size] = [across, cell];
  }
  const shape = shaped(best);
  return {
    across: best, shape, height: Math.max(64, Math.min(box.height, Math.ceil(Math.min(largest, (box.width - 2 * edge) / shape[1]) * shape[0]) + 2 * edge)),
    place: (view, wide, high) => square(view, wide, high, view.rows < shape[0] || view.columns < shape[1]),
    at: (i) => ({ row: Math.floor(i / best) * (height + gap), column: (i % best) * (width + gap) }),
    tile(row, column) {
      const down = Math.floor(row / (height + gap)), right = Math.floor(column / (width + gap));
      const inside = { i: down * best + right, row: row - down * (height + gap), column: column - right * (width + gap) };
      return row >= 0 && column >= 0 && right < best && inside.i < count && inside.row < height && inside.column < width ? inside : null;
    },
  };
}

// edge is room around all tiles for the frame of the outer ones.
const edge = 3;

// square is the geometry of a canvas whose cells are as high as wide; near are those of a part of the mosaic.
function square(view, width, height, near) {
  const cell = Math.min(near ? Infinity : largest, (width - 2 * edge) / view.columns, (height - 2 * edge) / view.rows);
  return {
    cellWidth: cell, cellHeight: cell,
    x: (column) => edge + (column - view.left) * cell,
    y: (row) => edge + (row - view.top) * cell,
    column: (x) => view.left + (x - edge) / cell,
    row: (y) => view.top + (y - edge) / cell,
  };
}
