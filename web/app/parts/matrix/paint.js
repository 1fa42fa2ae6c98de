// Paints a matrix: pictures of what was read, the coarsest first, numbers where cells are large enough, indices at the edges, the cursor.
import * as format from "../../core/format.js";
import { colour } from "../../core/theme.js";
import { inkOn, picture } from "./colours.js";
import { finest } from "./parts.js";
import { margin, place } from "./place.js";

// A cell from this size on holds its number.
const wide = 46, high = 16;

// paint draws parts [{rows, columns, rowStride, columnStride, shownRows, shownColumns, values}] of a matrix.
export function paint(canvas, { parts, view, scale, cursor, focused }) {
  const ratio = devicePixelRatio || 1;
  const width = canvas.clientWidth, height = canvas.clientHeight;
  if (!width || !height) return;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const c = canvas.getContext("2d");
  c.setTransform(ratio, 0, 0, ratio, 0, 0);
  c.clearRect(0, 0, width, height);
  const at = place(view, width, height);
  c.save();
  c.beginPath();
  c.rect(margin.left, margin.top, width - margin.left, Math.min(height - margin.top, at.cellHeight * view.rows));
  c.clip();
  c.fillStyle = colour("--hole");
  c.fillRect(margin.left, margin.top, width, height);
  c.imageSmoothingEnabled = false;
  for (const part of [...parts].sort((a, b) => b.rowStride * b.columnStride - a.rowStride * a.columnStride)) draw(c, part, at, scale);
  const fine = finest(parts, view);
  if (fine?.rowStride === 1 && fine.columnStride === 1 && at.cellWidth >= wide && at.cellHeight >= high) numbers(c, fine, at, view, scale);
  if (cursor) {
    c.lineWidth = focused ? 2 : 1.5;
    c.strokeStyle = colour("--text");
    c.strokeRect(at.x(cursor.column) - 0.5, at.y(cursor.row) - 0.5, Math.max(at.cellWidth, 3) + 1, Math.max(at.cellHeight, 3) + 1);
    c.strokeStyle = colour("--surface");
    c.lineWidth = 1;
    c.strokeRect(at.x(cursor.column) - 2, at.y(cursor.row) - 2, Math.max(at.cellWidth, 3) + 4, Math.max(at.cellHeight, 3) + 4);
  }
  c.restore();
  indices(c, at, view, width, height);
}

function draw(c, part, at, scale) {
  if (!part.shownRows || !part.shownColumns) return;
  if (part.scale?.low !== scale.low || part.scale?.high !== scale.high || part.ink !== colour("--text")) {
    part.image = picture(part.values, part.shownColumns, part.shownRows, scale);
    part.scale = scale;
    part.ink = colour("--text");
  }
  c.drawImage(part.image, at.x(part.columns[0]), at.y(part.rows[0]), part.shownColumns * part.columnStride * at.cellWidth, part.shownRows * part.rowStride * at.cellHeight);
}

function numbers(c, part, at, view, scale) {
  c.font = colourFont();
  c.textAlign = "center";
  c.textBaseline = "middle";
  const digits = at.cellWidth >= 64 ? 4 : 3;
  for (let row = Math.floor(view.top); row < Math.min(part.rows[1], view.top + view.rows); row++) {
    for (let column = Math.floor(view.left); column < Math.min(part.columns[1], view.left + view.columns); column++) {
      if (row < part.rows[0] || column < part.columns[0]) continue;
      const value = part.values[(row - part.rows[0]) * part.shownColumns + column - part.columns[0]];
      c.fillStyle = colour(inkOn(scale, value));
      c.fillText(format.number(value, digits), at.x(column + 0.5), at.y(row + 0.5), at.cellWidth - 4);
    }
  }
}

let font = "";
const colourFont = () => (font ||= getComputedStyle(document.documentElement).getPropertyValue("--chart-font").replace(/var\(--font\)/, getComputedStyle(document.documentElement).getPropertyValue("--font")));

// indices writes round indices at the edges.
function indices(c, at, view, width, height) {
  c.font = colourFont();
  c.fillStyle = colour("--chart-text");
  const label = (from, length, cell, most, write) => {
    const every = round(Math.max(1, most / cell));
    for (let i = Math.ceil(from / every) * every; i < from + length; i += every) write(i);
  };
  c.textBaseline = "alphabetic";
  c.textAlign = "center";
  label(view.left, view.columns, at.cellWidth, 56, (i) => {
    const x = at.x(i + Math.min(0.5, 28 / at.cellWidth));
    if (x < width - 8) c.fillText(format.count(i), Math.max(x, margin.left + 4), margin.top - 6);
  });
  c.textAlign = "right";
  c.textBaseline = "middle";
  label(view.top, view.rows, at.cellHeight, 22, (i) => {
    const y = at.y(i + Math.min(0.5, 11 / at.cellHeight));
    if (y < height - 4) c.fillText(format.count(i), margin.left - 6, Math.max(y, margin.top + 5));
  });
}

// round is the next of 1, 2, 5, 10, 20 ...
function round(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((k) => k * power).find((k) => k >= value - 1e-9);
}
