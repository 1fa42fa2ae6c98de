// Painting a heat map: the cells, the names of the rows, the axis below.
import * as format from "../../core/format.js";
import { difference, ramp, scaler } from "../../core/ramp.js";
import { colour, rgb } from "../../core/theme.js";
import { font } from "../chart/marks.js";

export const axisHeight = 22;

// layout is where the cells lie: names on the left as far as there is room, or so wide as names says, in line with the plots of charts; cells, axis.
export function layout({ width, rows, rowHeight, height, view, names = true }) {
  const left = names > 1 ? names : names ? Math.round(Math.min(width * 0.32, 220)) : 8;
  const shown = view.rows[1] - view.rows[0];
  const cell = rowHeight ?? Math.max(1, Math.min(22, (height - axisHeight) / shown));
  return { left, top: 2, width: Math.max(10, width - left - (names > 1 ? 17 : 8)), height: Math.round(cell * shown), cell };
}

// paint fills the canvas and gives the layout back.
export function paint(canvas, state) {
  const { width, rows, columns, view, kind } = state;
  const box = layout(state);
  const ratio = devicePixelRatio || 1;
  const full = box.top + box.height + axisHeight;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(full * ratio);
  canvas.style.setProperty("height", `${full}px`);
  const ctx = canvas.getContext("2d");
  cells(ctx, state, box, ratio);
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  ctx.font = font();
  ctx.fillStyle = colour("--chart-text");
  if (state.names !== false) {
    ctx.textAlign = "right";
    ctx.textBaseline = "middle";
    for (const r of named(rows, view.rows, box.cell)) {
      const y = box.top + (r - view.rows[0] + 0.5) * box.cell;
      const { name, severity } = rows[r];
      if (severity) dot(ctx, box.left - 8, y, severity);
      ctx.fillStyle = colour(severity ? "--text" : "--chart-text");
      ctx.fillText(shortened(ctx, name, box.left - (severity ? 20 : 10)), box.left - (severity ? 15 : 6), y);
    }
    ctx.fillStyle = colour("--chart-text");
  }
  ctx.textAlign = "center";
  ctx.textBaseline = "top";
  const count = view.columns[1] - view.columns[0];
  const most = Math.max(2, Math.floor(box.width / 84));
  const every = Math.max(1, Math.ceil(count / most));
  ctx.strokeStyle = colour("--chart-axis");
  for (let c = view.columns[0]; c < view.columns[1]; c += every) {
    const x = box.left + ((c - view.columns[0] + 0.5) / count) * box.width;
    ctx.beginPath();
    ctx.moveTo(x, box.top + box.height);
    ctx.lineTo(x, box.top + box.height + 4);
    ctx.stroke();
    const text = label(columns[c], kind);
    const half = ctx.measureText(text).width / 2;
    if (x + half <= width) ctx.fillText(text, x, box.top + box.height + 7);
  }
  return box;
}

// named are the rows whose names have room: first those with a finding, then every so many of the others.
export function named(rows, [from, to], cell) {
  const apart = Math.ceil(12 / cell);
  const kept = [];
  const take = (r) => kept.every((one) => Math.abs(one - r) >= apart) && kept.push(r);
  for (let r = from; r < to; r++) if (rows[r].severity) take(r);
  for (let r = from + Math.max(0, Math.ceil(6 / cell - 0.5)); r < to; r += apart) take(r);
  return kept.sort((a, b) => a - b);
}

function dot(ctx, x, y, severity) {
  ctx.fillStyle = colour(`--${severity}`);
  ctx.beginPath();
  ctx.arc(x, y, 3, 0, 2 * Math.PI);
  ctx.fill();
}

// uneven reports whether columns that are drawn equally wide are not equally far apart. Of very many columns one may hold a step more than another.
export function uneven(columns) {
  const each = (columns.at(-1) - columns[0]) / (columns.length - 1);
  const most = each * (columns.length > 200 ? 1 : 0.25);
  return columns.some((value, i) => Math.abs(value - columns[0] - i * each) > most);
}

const label = (value, kind) => (kind === "time" ? format.clock(value) : kind === "relative" ? format.duration(value) : value >= 1e5 ? format.compact(value) : format.count(value));

// cells are painted one pixel per cell (of several columns in a pixel the one farthest from the middle of two colours, else the highest), then stretched without smoothing.
function cells(ctx, { rows, range, each, two, log, view }, box, ratio) {
  const [fromRow, toRow] = view.rows;
  const [fromColumn, toColumn] = view.columns;
  const count = toColumn - fromColumn;
  const wide = Math.min(count, Math.round(box.width * ratio));
  const colours = two ? difference() : ramp();
  const hole = rgb("--hole");
  const odd = rgb("--odd");
  const image = new ImageData(wide, toRow - fromRow);
  for (let r = fromRow; r < toRow; r++) {
    const { values } = rows[r];
    const place = scaler(each?.[r] ?? range, log);
    for (let p = 0; p < wide; p++) {
      const start = fromColumn + Math.floor((p * count) / wide);
      const end = Math.max(start + 1, fromColumn + Math.floor(((p + 1) * count) / wide));
      let best = -1;
      for (let c = start; c < end; c++) {
        const at = place(values[c]);
        if (at === -2) best = -2;
        else if (best !== -2 && at >= 0 && (best < 0 || (two ? Math.abs(at - 127.5) > Math.abs(best - 127.5) : at > best))) best = at;
      }
      const o = ((r - fromRow) * wide + p) * 4;
      const [red, green, blue] = best >= 0 ? [colours[best * 3], colours[best * 3 + 1], colours[best * 3 + 2]] : best === -2 ? odd : hole;
      image.data[o] = red;
      image.data[o + 1] = green;
      image.data[o + 2] = blue;
      image.data[o + 3] = 255;
    }
  }
  const small = new OffscreenCanvas(wide, toRow - fromRow);
  small.getContext("2d").putImageData(image, 0, 0);
  ctx.imageSmoothingEnabled = false;
  ctx.setTransform(1, 0, 0, 1, 0, 0);
  ctx.drawImage(small, Math.round(box.left * ratio), Math.round(box.top * ratio), Math.round(box.width * ratio), Math.round(box.height * ratio));
  // Lines between the rows where there is room for them.
  if (box.cell * ratio < 10) return;
  ctx.fillStyle = colour("--surface");
  for (let r = 1; r < toRow - fromRow; r++) ctx.fillRect(Math.round(box.left * ratio), Math.round((box.top + r * box.cell) * ratio), Math.round(box.width * ratio), 1);
}

// shortened keeps the end of a name: that is where layers differ.
export function shortened(ctx, text, room) {
  if (ctx.measureText(text).width <= room) return text;
  let low = 0;
  let high = text.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ctx.measureText(`\u2026${text.slice(middle)}`).width <= room) high = middle;
    else low = middle + 1;
  }
  return `\u2026${text.slice(low)}`;
}
