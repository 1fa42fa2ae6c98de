// Axes: how positions and values are written, and how far apart their lines are.
import * as format from "../../core/format.js";
import { colour } from "../../core/theme.js";
import { font } from "./marks.js";

const seconds = [1e-6, 2e-6, 5e-6, 1e-5, 2e-5, 5e-5, 1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 345600, 864000];
const whole = [1, 2, 5].flatMap((digit) => [...Array(13).keys()].map((power) => digit * 10 ** power)).sort((a, b) => a - b);

// position writes an x: "step 1,200", "14:03:21", "2 min 05 s", "epoch 1.25".
export function position(x, kind, label) {
  if (kind === "time") return format.time(x);
  if (kind === "relative") return `after ${format.duration(x)}`;
  if (kind === "step") return `${label ?? "step"} ${format.count(Math.round(x))}`;
  if (kind === "epoch") return `epoch ${format.number(x, 4)}`;
  return `${label ? `${label} ` : ""}${format.number(x)}`;
}

const formats = [];

// column writes where a column of a series lies: "steps 100 to 119".
export function column({ x, xLast }, i, kind, label = "step") {
  if (kind !== "step" || !xLast || Math.round(xLast[i]) === Math.round(x[i])) return position(x[i], kind, label);
  return `${label}s ${format.count(Math.round(x[i]))} to ${format.count(Math.round(xLast[i]))}`;
}

// tick writes a value of an axis so finely that its neighbours differ. largest is the size of the axis' largest value: where all are tiny, powers of ten are written.
export function tick(value, step, unit, largest = Math.abs(value)) {
  if (unit === "bytes" || unit === "B" || unit === "bytes/s" || unit === "B/s" || unit === "s" || unit === "seconds") return format.withUnit(value, unit);
  const percent = unit === "percent" || unit === "%" ? " %" : "";
  const size = Math.abs(value);
  if (size < step / 1e6) return `0${percent}`;
  const power = Math.floor(Math.log10(step) + 1e-9);
  const uneven = Math.abs(step / 10 ** power - Math.round(step / 10 ** power)) > 1e-6 ? 1 : 0;
  if (size >= 1e15 || largest < 1e-4) return format.number(value, Math.min(10, Math.max(1, Math.floor(Math.log10(size) + 1e-9) - power + 1 + uneven))) + percent;
  if (size >= 1e6) return format.compact(value) + percent;
  const digits = Math.max(0, Math.min(12, uneven - power));
  formats[digits] ??= new Intl.NumberFormat("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return formats[digits].format(value).replace("-", "\u2212") + percent;
}

// ticks writes the values of an axis.
const ticks = (splits, step, unit) => {
  const largest = Math.max(0, ...splits.map((value) => Math.abs(value ?? 0)));
  return splits.map((value) => (value === null ? "" : tick(value, step, unit, largest)));
};

const shared = { stroke: () => colour("--chart-text"), font: font(), gap: 6, grid: { stroke: () => colour("--chart-grid"), width: 1 } };

// axes are uPlot's axes for the kind of x and the unit of y; room is the width of the y axis, by default what its texts take.
export function axes({ kind, unit, bare, room, logX = false, logY = false }) {
  const x = {
    ...shared, size: 26, space: (u, i, from, to) => (kind === "time" ? (to - from < 600 ? 88 : 64) : 64), ticks: { stroke: () => colour("--chart-axis"), width: 1, size: 4 }, grid: { show: false }, border: { show: true, stroke: () => colour("--chart-axis"), width: 1 },
  };
  if (kind === "time") x.values = (u, splits, i, space, step) => splits.map((value, k) => (value === null ? "" : moment(value, step, k === 0 ? null : splits[k - 1])));
  else if (kind === "relative") Object.assign(x, { incrs: seconds, values: (u, splits) => splits.map(format.duration) });
  else if (kind === "step") Object.assign(x, { incrs: whole, values: (u, splits, i, space, step) => splits.map((value) => (value === null ? "" : step >= 1000 || value >= 1e6 ? format.compact(value) : format.count(value))) });
  else x.values = (u, splits, i, space, step) => ticks(splits, step);
  const y = {
    ...shared, space: 28, ticks: { show: false }, size: room ?? wide,
    values: (u, splits, i, space, step) => (logY ? splits.map((value) => (value === null ? "" : logTick(value, unit))) : ticks(splits, step, unit)),
  };
  if (unit === "s" || unit === "seconds") y.incrs = seconds;
  if (logX) Object.assign(x, { splits: (u, i, min, max) => powers(min, max, 8), filter: (u, splits) => splits });
  if (logY) Object.assign(y, { splits: (u, i, min, max) => powers(min, max, 6), filter: (u, splits) => splits });
  if (bare) x.show = y.show = false;
  return [x, y];
}

// moment writes a time of an axis; where a day begins it writes the day.
function moment(value, step, before) {
  const day = format.time(value).slice(5, 10);
  if (step >= 86400 || (before !== null && format.time(before).slice(5, 10) !== day)) return day;
  if (step >= 60) return format.clock(value).slice(0, 5);
  if (step >= 1) return format.clock(value);
  const digits = step >= 0.1 ? 1 : step >= 0.01 ? 2 : 3;
  const rounded = Math.round(value * 10 ** digits) / 10 ** digits;
  return `${format.clock(Math.floor(rounded)).slice(3)}${(rounded - Math.floor(rounded)).toFixed(digits).slice(1)}`;
}

// powers are the lines of a logarithmic axis: powers of ten, every so many of a wide range; of a narrow one also 2 and 5 times as much, or even steps.
export function powers(min, max, most) {
  const [from, to] = [Math.log10(min), Math.log10(max)];
  const first = Math.ceil(from - 1e-9);
  const last = Math.floor(to + 1e-9);
  const out = [];
  const inside = (value) => value >= min * (1 - 1e-9) && value <= max * (1 + 1e-9);
  if (last - first >= 2) {
    const every = Math.ceil((last - first + 1) / most);
    for (let power = Math.ceil(first / every) * every; power <= last; power += every) out.push(10 ** power);
    return out;
  }
  for (let power = Math.floor(from); power <= last; power++) for (const digit of [1, 2, 5]) if (inside(digit * 10 ** power)) out.push(digit * 10 ** power);
  if (out.length >= 3) return out;
  const rough = (max - min) / 4;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = unit * ([1, 2, 5].find((digit) => digit * unit >= rough * (1 - 1e-9)) ?? 10);
  const even = [];
  for (let n = Math.ceil(min / step - 1e-9); n * step <= max * (1 + 1e-9) && even.length < 12; n++) even.push(n * step);
  return even;
}

// On a logarithmic axis small values are written as 1e-7.
const logTick = (value, unit) => (unit ? format.withUnit(value, unit, 2) : format.number(value, 3));

// wide makes room for the longest text, the same for most charts, so that charts below each other line up.
function wide(u, values, i, cycle) {
  if (cycle > 1) return u.axes[i]._size;
  u.ctx.font = u.axes[i].font[0];
  const longest = Math.max(0, ...(values ?? []).map((text) => u.ctx.measureText(text).width / (devicePixelRatio || 1)));
  return Math.max(44, Math.ceil((longest + 10) / 8) * 8);
}
