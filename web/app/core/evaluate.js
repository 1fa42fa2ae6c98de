// Values of expressions. A value is a number, or a column {x, y} with ascending x.
// Two columns meet at the places of the one with fewer points; between two points
// the other one is interpolated, outside of its range there is nothing.

import { at } from "./align.js";
import { smooth } from "./smooth.js";

const isNumber = (v) => typeof v === "number";

// each computes a column point by point.
function each(f, ...values) {
  if (values.every(isNumber)) return f(...values);
  const columns = values.filter((v) => !isNumber(v));
  let grid = columns.reduce((a, b) => (b.x.length < a.x.length ? b : a)).x;
  const from = Math.max(...columns.map((c) => c.x[0]));
  const to = Math.min(...columns.map((c) => c.x[c.x.length - 1]));
  if (columns.length > 1) grid = grid.filter((x) => x >= from && x <= to);
  const aligned = values.map((v) => (isNumber(v) ? null : v.x.length === grid.length ? same(v, grid) : at(v.x, v.y, grid)));
  const y = new Float64Array(grid.length);
  const point = new Array(values.length);
  for (let i = 0; i < y.length; i++) {
    for (let k = 0; k < values.length; k++) point[k] = aligned[k] ? aligned[k][i] : values[k];
    y[i] = f(...point);
  }
  return { x: grid, y };
}

function same(column, grid) {
  for (let i = 0; i < grid.length; i++) if (column.x[i] !== grid[i]) return at(column.x, column.y, grid);
  return column.y;
}

// along computes a column from the points up to each one.
function along(step) {
  return (v) => {
    if (isNumber(v)) return v;
    const y = new Float64Array(v.y.length);
    for (let i = 0; i < y.length; i++) y[i] = step(v.y, y, i);
    return { x: v.x, y };
  };
}

const soFar = (pick) =>
  along((y, out, i) => (i === 0 || Number.isNaN(out[i - 1]) ? y[i] : Number.isNaN(y[i]) ? out[i - 1] : pick(out[i - 1], y[i])));

const least = soFar(Math.min);
const most = soFar(Math.max);
const differences = along((y, _, i) => (i === 0 ? NaN : y[i] - y[i - 1]));
const sums = along((y, out, i) => (i === 0 ? 0 : out[i - 1]) + (Number.isFinite(y[i]) ? y[i] : 0));

// means of the last n points, those left out that are not finite.
function means(v, n) {
  if (isNumber(v)) return v;
  const y = new Float64Array(v.y.length);
  let sum = 0;
  let count = 0;
  const take = (value, sign) => {
    if (!Number.isFinite(value)) return;
    sum += sign * value;
    count += sign;
  };
  for (let i = 0; i < y.length; i++) {
    take(v.y[i], 1);
    if (i >= n) take(v.y[i - n], -1);
    y[i] = count ? sum / count : NaN;
  }
  return { x: v.x, y };
}

const average = (v) => {
  if (isNumber(v)) return v;
  const finite = v.y.filter(Number.isFinite);
  return finite.reduce((a, b) => a + b, 0) / finite.length;
};

const ema = (v, weight) => (isNumber(v) ? v : { x: v.x, y: smooth(v.y, weight) });

const alike = (f) => ({ run: (v) => each(f, v), least: 1, most: 1 });
const several = (one, f) => ({ run: (...v) => (v.length === 1 ? one(v[0]) : each(f, ...v)), least: 1, most: 20 });
const whole = (n) => Number.isInteger(n) && n >= 1;

// functions are those that an expression may use: how each is written, what it
// is, how many arguments it takes, and which of them are numbers of what kind.
export const functions = {
  ema: { run: ema, least: 2, most: 2, form: "ema(a, 0.9)", text: "exponential mean with bias correction", numbers: [{ at: 1, fits: (w) => w >= 0 && w < 1, text: "The weight of ema is a number from 0 to below 1." }] },
  mean: { run: (v, n) => (n === undefined ? average(v) : means(v, n)), least: 1, most: 2, form: "mean(a, 10) or mean(a)", text: "mean of the last 10 points, or of all", numbers: [{ at: 1, fits: whole, text: "The window of mean is a whole number of points, 1 or more." }] },
  min: { ...several(least, Math.min), form: "min(a, b) or min(a)", text: "the smallest of several, or the smallest so far" },
  max: { ...several(most, Math.max), form: "max(a, b) or max(a)", text: "the largest of several, or the largest so far" },
  diff: { run: differences, least: 1, most: 1, form: "diff(a)", text: "change from point to point" },
  cumsum: { run: sums, least: 1, most: 1, form: "cumsum(a)", text: "sum so far" },
  log: { ...alike(Math.log), form: "log(a)", text: "natural logarithm" },
  log2: { ...alike(Math.log2), form: "log2(a)", text: "logarithm to base 2" },
  log10: { ...alike(Math.log10), form: "log10(a)", text: "logarithm to base 10" },
  exp: { ...alike(Math.exp), form: "exp(a)", text: "e to the power of a" },
  sqrt: { ...alike(Math.sqrt), form: "sqrt(a)", text: "square root" },
  abs: { ...alike(Math.abs), form: "abs(a)", text: "without its sign" },
};

const operators = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => a / b,
  "^": (a, b) => a ** b,
};

// evaluate computes a tree of parse. The series are found by their names: a
// function from a name to a column. A number takes a wrong argument's place in
// the error, as {message, from, to}.
export function evaluate(tree, series) {
  switch (tree.kind) {
    case "number":
      return tree.value;
    case "series":
      return series(tree.name, tree);
    case "sign":
      return each((v) => -v, evaluate(tree.of, series));
    case "call":
      return call(tree, series);
  }
  return each(operators[tree.kind], evaluate(tree.left, series), evaluate(tree.right, series));
}

function call(tree, series) {
  const f = functions[tree.name];
  const given = tree.arguments.map((a) => evaluate(a, series));
  for (const n of f.numbers || []) {
    if (n.at >= given.length || (isNumber(given[n.at]) && n.fits(given[n.at]))) continue;
    const { from, to } = tree.arguments[n.at];
    throw Object.assign(new Error(n.text), { from, to });
  }
  return f.run(...given);
}
