// What a series has become since it was read: the stream says that it has grown, and what it is now is asked of the server.

const few = 16; // points of a series that is read whole: the places of so few may still change
const mostPart = 800; // points beyond the end, after which the whole series is read again

// Growth counts how often each series of a run has grown.
export class Growth {
  constructor() {
    this.times = new Map();
  }

  grew(list) {
    for (const s of list) this.times.set(s, this.count(s) + 1);
  }

  count(s) {
    return this.times.get(s) ?? 0;
  }

  // forget drops what is known of a series that nobody looks at: while it is not seen, nothing says that it grows.
  forget(s) {
    this.times.delete(s);
  }
}

// viewOfNew is how the server is asked for what is new of a series: from the end of what was read on, or the whole
// view, where its points may be in other places or there is much to add.
export function viewOfNew(series, part, view) {
  if (view.axis === "epoch" || view.to !== undefined || series.points <= few || (part?.points ?? 0) > mostPart) return view;
  return { axis: view.axis, columns: view.columns, from: endOf(series) };
}

// joined is a series with its part from the end on, which is raw. The point at the end is in both: that of the part
// counts. In a series of columns each new point is a column.
export function joined(series, part) {
  if (!part?.x.length || !series.x.length) return series;
  const end = endOf(series);
  const both = series.raw && part.x[0] === end;
  const from = both ? 0 : part.x.findIndex((x) => x > end);
  if (from < 0) return series;
  const [x, y] = [part.x.subarray(from), part.mean.subarray(from)];
  const kept = series.x.length - (both ? 1 : 0);
  const out = { ...series, x: followed(series.x.subarray(0, kept), x), mean: followed(series.mean.subarray(0, kept), y), points: series.points + x.length - (both ? 1 : 0), last: part.last };
  if (series.odd?.length) out.odd = followed(series.odd, Float64Array.from(y, (v) => (Number.isFinite(v) ? 0 : 1)));
  if (series.raw) return out;
  return { ...out, x_last: followed(series.x_last, x), min: followed(series.min, y), max: followed(series.max, y), last_value: followed(series.last_value, y) };
}

const endOf = (series) => (series.raw ? series.x : series.x_last).at(-1);

function followed(a, b) {
  const out = new Float64Array(a.length + b.length);
  out.set(a);
  out.set(b, a.length);
  return out;
}
