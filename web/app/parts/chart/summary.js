// A chart in words: one sentence about its course, and one line about what is drawn.
import * as format from "../../core/format.js";
import { position } from "./axes.js";
import { after, figures } from "./values.js";

// summary is a sentence about one series between two x: "falls from 2.3 to 0.4, flat since step 900".
export function summary(series, kind, view) {
  const { label, x, min, max, odd, unit } = series;
  const y = figures(series);
  const from = view ? after(x, view[0]) : 0;
  const to = view ? after(x, view[1]) : x.length;
  const at = [];
  let notFinite = 0;
  let low = Infinity, high = -Infinity;
  for (let i = from; i < to; i++) {
    if (odd?.[i] || !Number.isFinite(y[i])) notFinite++;
    if (!Number.isFinite(y[i])) continue;
    at.push(i);
    low = Math.min(low, min ? min[i] : y[i]);
    high = Math.max(high, max ? max[i] : y[i]);
  }
  const name = label ? `${label} ` : "";
  const trouble = notFinite ? `, ${format.several(notFinite, "place")} with values that are not finite` : "";
  if (!at.length) return notFinite ? `${name}has no finite value.` : `${name}has no values here.`;
  const write = (value) => format.withUnit(value, unit, 3);
  if (at.length === 1) return `${name}is ${write(y[at[0]])} at ${position(x[at[0]], kind)}${trouble}.`;
  // The course is judged on means of a fiftieth at each end, so that noise does not decide.
  const edge = Math.max(1, Math.floor(at.length / 50));
  const mean = (indexes) => indexes.reduce((sum, i) => sum + y[i], 0) / indexes.length;
  const first = mean(at.slice(0, edge));
  const last = mean(at.slice(-edge));
  const range = high - low;
  if (range <= Math.abs(high) * 1e-6) return `${name}stays at ${write(last)}${trouble}.`;
  const change = last - first;
  const verb = Math.abs(change) < range * 0.1 ? "stays around" : change < 0 ? "falls" : "rises";
  if (verb === "stays around") return `${name}stays around ${write(mean(at))}, between ${write(low)} and ${write(high)}${trouble}.`;
  const since = flat(at, y, last, Math.abs(change));
  const span = since !== null && at.length - since > Math.max(2, at.length / 5) ? `, flat since ${position(x[at[since]], kind)}` : "";
  return `${name}${verb} from ${write(first)} to ${write(last)}${span}, lowest ${write(low)}, highest ${write(high)}${trouble}.`;
}

// flat is the first place from which on all values stay within a tenth of the change of the last one.
function flat(at, y, last, change) {
  let place = null;
  for (let k = at.length - 1; k >= 0 && Math.abs(y[at[k]] - last) <= change * 0.1; k--) place = k;
  return place;
}

// summaries is a sentence for each of a few series, and a count for the rest.
export function summaries(all, kind, view) {
  if (all.length === 1) {
    const text = summary({ ...all[0], label: "" }, kind, view);
    return text.charAt(0).toUpperCase() + text.slice(1);
  }
  const some = all.slice(0, 3).map((series) => summary(series, kind, view));
  if (all.length > 3) some.push(`And ${format.several(all.length - 3, "other series", "other series")}.`);
  return some.join(" ");
}

// drawn says what is drawn: "1.2 M points, minimum and maximum of 1,600 columns".
export function drawn(all) {
  const points = all.reduce((sum, series) => sum + (series.points ?? series.x.length), 0);
  if (!points) return "no points";
  const text = format.several(points, "point", "points", points >= 1e5 ? format.compact : format.count);
  const columns = Math.max(0, ...all.filter((series) => series.min && !series.raw).map((series) => series.x.length));
  return columns ? `${text}, minimum and maximum of ${format.several(columns, "column")}` : text;
}
