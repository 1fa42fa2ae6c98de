// Smoothing of a curve.

// smooth is the exponential mean with bias correction: each point counts weight
// times as much as the next one, and the first points are no pull towards zero.
// Points that are not finite stay as they are and count for nothing.
export function smooth(values, weight) {
  const out = new Float64Array(values.length);
  let sum = 0;
  let share = 0;
  for (let i = 0; i < values.length; i++) {
    const v = values[i];
    if (!Number.isFinite(v)) {
      out[i] = v;
      continue;
    }
    sum = sum * weight + v;
    share = share * weight + 1;
    out[i] = sum / share;
  }
  return out;
}
