// Where nothing was sampled no line is drawn.
const holes = (list, at, value) => {
  const out = new Float64Array(list.length + at.length);
  let k = 0;
  for (let i = 0, o = 0; i <= list.length; i++) {
    while (k < at.length && at[k].before === i) out[o++] = value(at[k++], i);
    if (i < list.length) out[o++] = list[i];
  }
  return out;
};

// broken is a series of a chart with a hole at each pause [from, to] that lies within it.
export function broken(series, pauses) {
  const at = [];
  for (const [from, to] of pauses) {
    let i = 0;
    while (i < series.x.length && series.x[i] <= from + 1e-6) i++;
    if (i > 0 && i < series.x.length) at.push({ before: i, x: (from + to) / 2 });
  }
  if (!at.length) return series;
  const out = { ...series, x: holes(series.x, at, (hole) => hole.x) };
  for (const key of ["y", "min", "max"]) if (series[key]) out[key] = holes(series[key], at, () => NaN);
  if (series.xLast) out.xLast = holes(series.xLast, at, (hole) => hole.x);
  return out;
}
