// Colours of values: from one sign a ramp, from both signs less and more around zero. 256 steps, made again for each theme.
import { difference, ramp } from "../../core/ramp.js";
import { rgb, theme } from "../../core/theme.js";

// coloursOf is the table of a scale, made again where the theme is another.
let made = {};
function coloursOf({ signed }) {
  if (made.theme !== theme.peek()) made = { theme: theme.peek(), true: difference(), false: ramp() };
  return made[signed];
}

// scaleOf says how values from low to high are coloured: {signed, low, high}.
export function scaleOf(low, high) {
  if (!(low < 0 && high > 0)) return { signed: false, low, high };
  const most = Math.max(-low, high);
  return { signed: true, low: -most, high: most };
}

// indexOf is the place of a value in the table of its scale.
const indexOf = (scale, value) => Math.max(0, Math.min(255, Math.round((255 * (value - scale.low)) / (scale.high - scale.low || 1))));

// picture paints values, row by row, as an image of one pixel each.
export function picture(values, width, height, scale) {
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext("2d");
  const image = context.createImageData(width, height);
  const colours = coloursOf(scale);
  const odd = rgb("--odd");
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    const finite = Number.isFinite(value);
    const k = finite ? 3 * indexOf(scale, value) : 0;
    image.data[4 * i] = finite ? colours[k] : odd[0];
    image.data[4 * i + 1] = finite ? colours[k + 1] : odd[1];
    image.data[4 * i + 2] = finite ? colours[k + 2] : odd[2];
    image.data[4 * i + 3] = 255;
  }
  context.putImageData(image, 0, 0);
  return canvas;
}

// inkOn is the colour of text that is read on the colour of a value.
export function inkOn(scale, value) {
  const [r, g, b] = Number.isFinite(value) ? [...coloursOf(scale).subarray(3 * indexOf(scale, value), 3 * indexOf(scale, value) + 3)] : rgb("--odd");
  const light = [r, g, b].map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2] > 0.18 ? "--flame-text" : "--ramp-0";
}

// bar paints the colours of a scale from left to right.
export function bar(canvas, scale) {
  canvas.width = 256;
  canvas.height = 1;
  const context = canvas.getContext("2d");
  const image = context.createImageData(256, 1);
  const colours = coloursOf(scale);
  for (let i = 0; i < 256; i++) image.data.set([colours[3 * i], colours[3 * i + 1], colours[3 * i + 2], 255], 4 * i);
  context.putImageData(image, 0, 0);
}
