// Looking into the arrays of a series. x is sorted; a hole in y is NaN.
import { numbers } from "../../core/api.js";
import { seriesToken } from "../../core/theme.js";

// fromAnswer makes a series of the chart from one of the API (series[i] of /series, /metrics/series, /series/compare).
// more overrides: {label, colour: 0, dash: [4, 2], href, unit}.
export function fromAnswer(series, more = {}) {
  const y = numbers(series.mean);
  return {
    label: series.name, unit: series.unit, x: numbers(series.x), y, raw: series.raw, points: series.points, error: series.error,
    xLast: series.x_last?.length ? numbers(series.x_last) : null, min: series.min?.length ? numbers(series.min) : null, max: series.max?.length ? numbers(series.max) : null,
    odd: series.odd?.length ? series.odd : null, ...more,
  };
}

// token is the colour of the i-th series.
export const token = (series, i) => (typeof series.colour === "string" ? series.colour : seriesToken(series.colour ?? i));

// after is the index of the first x that is not below value.
export function after(x, value) {
  let low = 0;
  let high = x.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (x[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

// figures are the values of a series; of bars that stand on others their own heights.
const heights = new WeakMap();
export function figures(one) {
  if (!one.base) return one.y;
  if (!heights.has(one)) heights.set(one, one.y.map((top, i) => top - one.base[i]));
  return heights.get(one);
}

// nearest is the index of the x nearest to value, or -1.
export function nearest(x, value) {
  if (!x.length) return -1;
  const i = after(x, value);
  if (i === 0) return 0;
  if (i === x.length) return x.length - 1;
  return value - x[i - 1] <= x[i] - value ? i - 1 : i;
}

// middles is where a column of several points is drawn: between its first and its last.
const known = new WeakMap();

export function middles(x, xLast) {
  if (!xLast) return x;
  const end = x.length - 1;
  const old = known.get(x);
  // Arrays of a live series grow in place.
  if (old?.xLast === xLast && old.made.length === x.length && old.made[end] === (x[end] + xLast[end]) / 2) return old.made;
  const made = Float64Array.from(x, (first, i) => (first + xLast[i]) / 2);
  known.set(x, { xLast, made });
  return made;
}

// at is the number of the column or point of a series that is drawn nearest to x, or -1.
export const at = (series, x) => nearest(middles(series.x, series.xLast), x);

// under is the same, and -1 where the series has not begun or is over.
export function under(series, value) {
  const { x, xLast } = series;
  const n = x.length;
  if (n < 2) return n - 1;
  const end = xLast ? xLast[n - 1] : x[n - 1];
  const room = (end - x[0]) / 50;
  return value < x[0] - room || value > end + room ? -1 : at(series, value);
}

// span is the first and last x of all series, or null.
export function span(all) {
  let from = Infinity;
  let to = -Infinity;
  for (const { x, xLast, kind } of all) {
    if (!x.length) continue;
    const last = x[x.length - 1];
    from = Math.min(from, x[0]);
    // A bar reaches as far as the one before it does.
    to = Math.max(to, xLast ? xLast[xLast.length - 1] : kind === "bars" ? last + (x.length > 1 ? last - x[x.length - 2] : 1) : last);
  }
  return from <= to ? [from, to] : null;
}

// extent is the lowest and highest value between two x. positive: only of values above 0. clip: without the outermost hundredths.
export function extent(all, [from, to], { positive = false, clip = false } = {}) {
  let low = Infinity;
  let high = -Infinity;
  const kept = [];
  for (const { x, y, min, max, base, behind } of all) {
    const end = Math.min(x.length, after(x, to) + 1);
    for (let i = Math.max(0, after(x, from) - 1); i < end; i++) {
      for (const value of clip || !min ? [y[i], base ? base[i] : NaN, behind && !clip ? behind[i] : NaN] : [min[i], max[i]]) {
        if (!Number.isFinite(value) || (positive && value <= 0)) continue;
        if (clip) kept.push(value);
        if (value < low) low = value;
        if (value > high) high = value;
      }
    }
  }
  if (clip && kept.length > 20) {
    kept.sort((a, b) => a - b);
    low = kept[Math.floor(kept.length * 0.01)];
    high = kept[Math.ceil(kept.length * 0.99) - 1];
  }
  return low <= high ? [low, high] : null;
}

// roomy adds a margin to an extent, so that nothing touches the edge.
export function roomy([low, high], log) {
  if (log) {
    const share = Math.max((Math.log10(high) - Math.log10(low)) * 0.05, 0.05);
    return [10 ** (Math.log10(low) - share), 10 ** (Math.log10(high) + share)];
  }
  // What differs only by rounding has no lines of an axis between.
  const size = Math.max(Math.abs(low), Math.abs(high));
  if (high - low <= size * 1e-12) {
    const half = size === 0 ? 1 : size * 0.1;
    return [low - half, high + half];
  }
  const margin = (high - low) * 0.05;
  return [low >= 0 && low - margin < 0 ? 0 : low - margin, high <= 0 && high + margin > 0 ? 0 : high + margin];
}
