// Paints tiles: what was read of them, the coarsest first, a frame around each in which something is not finite, and the cursor.
import { colour, theme } from "../../core/theme.js";
import { picture } from "./picture.js";

export function paint(canvas, { parts, mosaic, view, ranges, cursor, focused }) {
  const ratio = devicePixelRatio || 1;
  const width = canvas.clientWidth, height = canvas.clientHeight;
  if (!width || !height) return;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const c = canvas.getContext("2d");
  c.setTransform(ratio, 0, 0, ratio, 0, 0);
  c.imageSmoothingEnabled = false;
  const at = mosaic.place(view, width, height);
  for (const part of [...parts].reverse()) tiles(c, part, mosaic, at, ranges, width, height);
  if (!cursor) return;
  for (const [token, line, out] of [["--text", focused ? 2 : 1.5, 0.5], ["--surface", 1, 2]]) {
    const size = Math.max(at.cellWidth, 3) + 2 * out;
    c.strokeStyle = colour(token);
    c.lineWidth = line;
    c.strokeRect(at.x(cursor.column) - out, at.y(cursor.row) - out, size, size);
  }
}

function tiles(c, part, mosaic, at, ranges, width, height) {
  if (part.ranges !== ranges || part.across !== mosaic.across || part.theme !== theme.peek()) {
    part.image = picture(part, mosaic.across, ranges);
    Object.assign(part, { ranges, across: mosaic.across, theme: theme.peek() });
  }
  const { shownColumns: w, shownRows: h, stride } = part;
  c.strokeStyle = colour("--odd");
  c.lineWidth = 2;
  for (let i = 0; i < part.index.length; i++) {
    const tile = mosaic.at(i);
    const x = at.x(tile.column + part.columns[0]), y = at.y(tile.row + part.rows[0]);
    const wide = w * stride * at.cellWidth, high = h * stride * at.cellHeight;
    if (x > width || y > height || x + wide < 0 || y + high < 0) continue;
    c.drawImage(part.image, (i % mosaic.across) * w, Math.floor(i / mosaic.across) * h, w, h, x, y, wide, high);
    if (part.tile_odd[i] > 0) c.strokeRect(x - 1, y - 1, wide + 2, high + 2);
  }
}
