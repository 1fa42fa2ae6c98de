// Colours for values: the sequential ramp of heat maps (bright is low, dark is high) and the diverging one of differences.
import { rgb } from "./theme.js";

const sequential = ["--ramp-0", "--ramp-1", "--ramp-2", "--ramp-3", "--ramp-4", "--ramp-5", "--ramp-6", "--ramp-7"];
const steps = 256;

function table(tokens) {
  const stops = tokens.map(rgb);
  const colours = new Uint8ClampedArray(steps * 3);
  for (let i = 0; i < steps; i++) {
    const at = (i / (steps - 1)) * (stops.length - 1);
    const from = Math.min(stops.length - 2, Math.floor(at));
    for (let c = 0; c < 3; c++) colours[i * 3 + c] = stops[from][c] + (stops[from + 1][c] - stops[from][c]) * (at - from);
  }
  return colours;
}

// ramp is 256 colours as bytes (red, green, blue, red ...). The theme may change: ask when painting.
export const ramp = () => table(sequential);
export const difference = () => table(["--less", "--same", "--more"]);

// css is the i-th colour of a table for a canvas.
export const css = (colours, i) => `rgb(${colours[i * 3]} ${colours[i * 3 + 1]} ${colours[i * 3 + 2]})`;

// scaler maps values to 0..255; a hole is -1, what is not finite -2. On a logarithmic scale what is not above 0 is as bright as the lowest.
export function scaler([low, high], log) {
  const from = log ? Math.log10(low) : low;
  const span = (log ? Math.log10(high) : high) - from || 1;
  return (value) => {
    if (value === null || value === undefined) return -1;
    // A text ("NaN", "Inf") is a value that is not finite; NaN in a typed array is a hole.
    if (typeof value === "string") return -2;
    if (!Number.isFinite(value)) return Number.isNaN(value) ? -1 : -2;
    if (log && value <= 0) return 0;
    return Math.max(0, Math.min(255, Math.round((((log ? Math.log10(value) : value) - from) / span) * 255)));
  };
}

// extent is the lowest and highest finite value of rows (above 0 on a logarithmic scale).
export function extent(rows, log) {
  let low = Infinity;
  let high = -Infinity;
  for (const { values } of rows) {
    for (const value of values) {
      if (typeof value !== "number" || !Number.isFinite(value) || (log && value <= 0)) continue;
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  if (low > high) return log ? [1, 10] : [0, 1];
  if (low === high) return log ? [low, low * 10] : [low, low + 1];
  return [low, high];
}
