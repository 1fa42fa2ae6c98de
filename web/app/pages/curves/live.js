// Points that came over the stream after a series was read.

import { numbers } from "../../core/api.js";
import { read } from "./series.js";

// placed are the x of new points on an axis, null where they are not known here.
export function placed({ s, x, time, epoch }, axis, started) {
  if (read(s).mode !== "TRAIN" && axis === "step") return null;
  if (axis === "step") return numbers(x);
  if (axis === "epoch") return epoch?.length ? numbers(epoch) : null;
  if (!time) return null;
  const seconds = Array.from(time, (t) => (typeof t === "number" ? t : Date.parse(t) / 1000));
  return axis === "time" ? seconds : seconds.map((t) => t - Date.parse(started) / 1000);
}

// Tails holds the newest points of series of one run.
export class Tails {
  constructor() {
    this.of = new Map(); // s -> {x, y}
    this.ends = new Map(); // s -> {end, step}, of the series that was read
  }

  // add appends points; one that does not come after the last one is known already.
  // It answers whether they follow what was there: false where some are missing.
  add(s, x, y) {
    if (!this.of.has(s)) this.of.set(s, { x: [], y: [] });
    const tail = this.of.get(s);
    const known = this.ends.get(s);
    const follows = tail.x.length > 0 || !known || !x.length || x[0] <= known.end + 3 * known.step;
    let before = tail.x.length ? tail.x[tail.x.length - 1] : -Infinity;
    for (let i = 0; i < x.length; i++) {
      if (!(x[i] > before)) continue;
      before = x[i];
      tail.x.push(x[i]);
      tail.y.push(y[i]);
    }
    return follows;
  }

  // forget drops what is known of a series that nobody looks at: while it is not
  // seen, its points do not come.
  forget(s) {
    this.of.delete(s);
    this.ends.delete(s);
  }

  // read drops the points that a series that was read anew has itself.
  read(s, series) {
    const tail = this.of.get(s);
    const n = series.x.length;
    if (!n) return;
    const end = series.x_last.length ? series.x_last[n - 1] : series.x[n - 1];
    this.ends.set(s, { end, step: n > 1 ? (end - series.x[0]) / Math.max(n, series.points - 1) : Infinity });
    if (!tail) return;
    let i = 0;
    while (i < tail.x.length && tail.x[i] <= end) i++;
    tail.x.splice(0, i);
    tail.y.splice(0, i);
  }

  size(s) {
    return this.of.get(s)?.x.length ?? 0;
  }

  // joined is a series with its tail: in a series of columns each new point is a
  // column of its own.
  joined(s, series) {
    const tail = this.of.get(s);
    if (!tail?.x.length || !series) return series;
    const n = series.x.length;
    const end = n === 0 ? -Infinity : series.raw ? series.x[n - 1] : series.x_last[n - 1];
    let from = 0;
    while (from < tail.x.length && tail.x[from] <= end) from++;
    if (from === tail.x.length) return series;
    const [x, y] = [tail.x.slice(from), tail.y.slice(from)];
    const out = { ...series, x: both(series.x, x), mean: both(series.mean, y), points: series.points + x.length };
    if (series.odd.length) out.odd = both(series.odd, y.map((v) => (Number.isFinite(v) ? 0 : 1)));
    if (series.raw) return out;
    return { ...out, x_last: both(series.x_last, x), min: both(series.min, y), max: both(series.max, y), last_value: both(series.last_value, y) };
  }
}

function both(a, b) {
  const out = new Float64Array(a.length + b.length);
  out.set(a);
  out.set(b, a.length);
  return out;
}
