// Histograms as they are drawn: bins of powers of two, or united ones that are wide enough for an axis of values.

// stepsOf thins steps to at most so many indexes, the first and the last among them.
export function thinned(count, most) {
  if (count <= most) return Array.from({ length: count }, (_, i) => i);
  return Array.from({ length: most }, (_, i) => Math.round((i * (count - 1)) / (most - 1)));
}

// trimmed leaves out the bins at both ends in which none of the histograms has anything. The only bin that has something keeps room on both sides: over the whole width it would look like all values there are.
export function trimmed({ edges, counts }) {
  let from = 0, to = edges.length - 1;
  const empty = (bin) => counts.every((row) => row[bin] === 0);
  while (from < to - 1 && empty(from)) from++;
  while (to > from + 1 && empty(to - 1)) to--;
  if (to === from + 1) {
    const [low, high] = edges.slice(from, to + 1);
    return { edges: [low - (high - low), low, high, high + (high - low)], counts: counts.map((row) => [0, row[from], 0]) };
  }
  return { edges: edges.slice(from, to + 1), counts: counts.map((row) => row.slice(from, to)) };
}

// zeros reports whether histograms hold nothing but zeros.
export const zeros = ({ zero, counts }) => counts.length > 0 && counts.every((row) => row.every((count, bin) => bin === zero || count === 0));

// constant is the only value of a tensor, by its statistics; null where there are others.
export const constant = ({ min, max, nan = 0, inf = 0 }) => (Number.isFinite(min) && min === max && !nan && !inf ? min : null);

// united joins neighbours until each bin is at least a part of the whole range wide: on an axis of values the bins around zero would be thinner than a line.
export function united({ edges, counts }, part = 1 / 96) {
  const least = (edges.at(-1) - edges[0]) * part;
  const starts = [0];
  for (let i = 1; i < edges.length - 1; i++) {
    const wide = edges[i] - edges[starts.at(-1)] >= least;
    const rest = edges.at(-1) - edges[i] >= least;
    if (wide && rest) starts.push(i);
  }
  const bounds = [...starts, edges.length - 1];
  return { edges: bounds.map((i) => edges[i]), counts: counts.map((row) => starts.map((start, k) => sum(row, start, bounds[k + 1]))) };
}

function sum(row, from, to) {
  let total = 0;
  for (let i = from; i < to; i++) total += row[i];
  return total;
}

export const sharesOf = (counts) => counts.map((row) => {
  const total = sum(row, 0, row.length);
  return row.map((count) => (total ? count / total : 0));
});

// shrinks reports whether the range of the values changes so much that an axis of values would hide most histograms.
export function shrinks({ edges, counts }) {
  const reach = counts.map((row) => row.reduce((most, count, bin) => (count > 0 ? Math.max(most, Math.min(Math.abs(edges[bin]), Math.abs(edges[bin + 1]))) : most), 0)).filter((one) => one > 0);
  return reach.length > 0 && Math.max(...reach) > 16 * Math.min(...reach);
}
