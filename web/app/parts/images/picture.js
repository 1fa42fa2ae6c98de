// Images as pixels: grey from black to white, or red, green and blue, by a range of values.
import { rgb } from "../../core/theme.js";

// partOf makes what a painter and a reader need of an answer of /images.
export function partOf(answer) {
  const shown = ([from, to]) => Math.ceil((to - from) / answer.stride);
  const height = shown(answer.rows), width = shown(answer.columns);
  return { ...answer, shownRows: height, shownColumns: width, plane: height * width };
}

// valueAt are the values of a pixel of a tile, one a plane, and near where others stand for it.
export function valueAt(parts, i, row, column) {
  for (const part of parts) {
    if (i >= part.index.length || row < part.rows[0] || row >= part.rows[1] || column < part.columns[0] || column >= part.columns[1]) continue;
    const r = Math.floor((row - part.rows[0]) / part.stride), c = Math.floor((column - part.columns[0]) / part.stride);
    const from = i * part.planes * part.plane + r * part.shownColumns + c;
    const at = [part.rows[0] + r * part.stride, part.columns[0] + c * part.stride];
    return { values: Array.from({ length: part.planes }, (_, k) => part.values[from + k * part.plane]), near: at[0] === row && at[1] === column ? null : at };
  }
  return null;
}

// levelOf is how bright a value is, 0 to 255.
const levelOf = (value, low, high) => Math.max(0, Math.min(255, Math.round((255 * (value - low)) / (high - low || 1))));

// picture paints all tiles of a part, so many next to each other. ranges(i) is [low, high] of a tile.
export function picture(part, across, ranges) {
  const { shownColumns: width, shownRows: height, planes, plane, values } = part;
  const count = part.index.length;
  const canvas = new OffscreenCanvas(across * width, Math.ceil(count / across) * height);
  const context = canvas.getContext("2d");
  const odd = rgb("--odd");
  for (let i = 0; i < count; i++) {
    const image = context.createImageData(width, height);
    const [low, high] = ranges(i);
    for (let k = 0; k < plane; k++) {
      const from = i * planes * plane + k;
      let finite = true;
      for (let c = 0; c < 3; c++) {
        const value = values[from + (planes === 3 ? c * plane : 0)];
        finite &&= Number.isFinite(value);
        image.data[4 * k + c] = levelOf(value, low, high);
      }
      if (!finite) image.data.set(odd, 4 * k);
      image.data[4 * k + 3] = 255;
    }
    context.putImageData(image, (i % across) * width, Math.floor(i / across) * height);
  }
  return canvas;
}

// bar paints the greys of a range from left to right.
export function bar(canvas) {
  canvas.width = 256;
  canvas.height = 1;
  const context = canvas.getContext("2d");
  const image = context.createImageData(256, 1);
  for (let i = 0; i < 256; i++) image.data.set([i, i, i, 255], 4 * i);
  context.putImageData(image, 0, 0);
}
