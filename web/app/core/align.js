// Curves with different steps brought together.

// at gives a curve's values at the places of a grid: the value of a point that is
// there, between two points the straight line, outside NaN. Both x ascend.
export function at(x, y, grid) {
  const out = new Float64Array(grid.length);
  let j = 0;
  for (let i = 0; i < grid.length; i++) {
    const g = grid[i];
    while (j + 1 < x.length && x[j + 1] <= g) j++;
    if (x.length === 0 || g < x[0] || g > x[x.length - 1]) out[i] = NaN;
    else if (x[j] === g || j + 1 === x.length) out[i] = y[j];
    else out[i] = y[j] + ((y[j + 1] - y[j]) * (g - x[j])) / (x[j + 1] - x[j]);
  }
  return out;
}

// grid is the union of several x; of more than `most` places, that many evenly
// spaced ones.
export function grid(list, most) {
  const places = new Set();
  for (const x of list) for (const v of x) places.add(v);
  const all = [...places].sort((a, b) => a - b);
  if (all.length <= most) return Float64Array.from(all);
  const [from, to] = [all[0], all[all.length - 1]];
  return Float64Array.from({ length: most }, (_, i) => from + ((to - from) * i) / (most - 1));
}

// bands are the ways to draw how far the curves of a group lie apart.
export const bands = {
  range: "min to max",
  deviation: "standard deviation",
  error: "standard error",
};

// group is the mean of several curves {x, y}, and a band around it: {x, mean, low,
// high, count}. Each curve counts where it has points on both sides or at the
// place; a curve that ended does not pull the mean. Where no curve has a value
// there is NaN.
export function group(curves, band = "range", most = 1600) {
  const x = grid(curves.map((c) => c.x), most);
  const values = curves.map((c) => at(c.x, c.y, x));
  const [mean, low, high] = [0, 0, 0].map(() => new Float64Array(x.length).fill(NaN));
  const count = new Uint32Array(x.length);
  for (let i = 0; i < x.length; i++) {
    let [n, m, squares, min, max] = [0, 0, 0, Infinity, -Infinity];
    for (const column of values) {
      const v = column[i];
      if (!Number.isFinite(v)) continue;
      n++;
      const d = v - m;
      m += d / n;
      squares += d * (v - m);
      min = Math.min(min, v);
      max = Math.max(max, v);
    }
    count[i] = n;
    if (n === 0) continue;
    const deviation = n > 1 ? Math.sqrt(squares / (n - 1)) : 0;
    const half = band === "error" ? deviation / Math.sqrt(n) : deviation;
    mean[i] = m;
    low[i] = band === "range" ? min : m - half;
    high[i] = band === "range" ? max : m + half;
  }
  return { x, mean, low, high, count };
}
