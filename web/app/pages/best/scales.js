// The scales of parameters and of the metric: numbers on a straight or a logarithmic axis, words one below the other.
import * as format from "../../core/format.js";

const wide = 50; // a range of positive numbers this many times as high as low is drawn by powers of ten

const few = 6; // values that are all written on the axis

const gap = 0.14; // the part at the low end that is kept for runs without a value
const absent = (value) => value === null || value === undefined;

// withAbsent is the scale of values, with a place at its low end for the runs that have none.
export function withAbsent(values, numbers) {
  const of = scale(values, numbers);
  if (!values.some(absent)) return of;
  const at = (value) => (absent(value) ? 0 : gap + (1 - gap) * of.at(value));
  const ticks = of.ticks.map((tick) => ({ ...tick, at: gap + (1 - gap) * tick.at }));
  return { ...of, absent: true, at, text: (value) => (absent(value) ? notGiven : of.text(value)), ticks: [{ at: 0, text: notGiven }, ...ticks] };
}

export const notGiven = "not given";

// scale of values (numbers, texts, or null): {at(value) from 0 to 1, text(value), ticks: [{at, text}], log}.
export function scale(values, numbers) {
  const there = values.filter((value) => !absent(value));
  if (!numbers) return ofWords([...new Set(there)].sort((a, b) => a.localeCompare(b, "en", { numeric: true })));
  const list = there.map(Number).filter(Number.isFinite);
  if (!list.length) return ofWords([]);
  const [low, high] = [Math.min(...list), Math.max(...list)];
  const log = low > 0 && high / low >= wide;
  const [from, to] = log ? [Math.log10(low), Math.log10(high)] : [low, high];
  const at = (value) => (to === from ? 0.5 : ((log ? Math.log10(Number(value)) : Number(value)) - from) / (to - from));
  const marks = [0, 0.25, 0.5, 0.75, 1].map((part) => from + part * (to - from)).map((value) => (log ? 10 ** value : value));
  const different = [...new Set(list)];
  const ticks = different.length <= few ? different : log && to - from >= 1 ? powers(from, to) : marks;
  return { at, log, text: (value) => format.number(Number(value)), ticks: ticks.map((value) => ({ at: at(value), text: format.number(value, 3) })) };
}

function powers(from, to) {
  const list = [];
  for (let i = Math.ceil(from - 1e-9); i <= to + 1e-9; i++) list.push(10 ** i);
  return list.length > 8 ? list.filter((_, i) => i % Math.ceil(list.length / 8) === 0) : list;
}

function ofWords(words) {
  const at = (value) => (words.indexOf(value) + 0.5) / words.length;
  return { at, log: false, text: String, ticks: words.map((text) => ({ at: at(text), text })) };
}
