import { evaluate, names, parse, quote } from "../app/core/expression.js";
import { equal, near, thrown } from "./check.js";

const column = (x, y) => ({ x: Float64Array.from(x), y: Float64Array.from(y) });
const series = {
  a: column([0, 1, 2, 3], [2, 4, 6, 8]),
  b: column([0, 1, 2, 3], [1, 2, 3, 0]),
  sparse: column([0, 2, 4], [10, 20, 30]),
  late: column([2.5, 5], [1, 2]),
  empty: column([], []),
  gap: column([0, 1, 2, 3], [1, NaN, 3, Infinity]),
  "gradient/fc.weight": column([0, 1], [5, 7]),
  'odd "name"': column([0], [1]),
};
const value = (text) =>
  evaluate(parse(text), (name, { from, to }) => {
    if (!series[name]) throw Object.assign(new Error(`no ${name}`), { from, to });
    return series[name];
  });

export const tests = {
  "numbers and precedence"() {
    for (const [text, want] of [
      ["1 + 2 * 3", 7],
      ["(1 + 2) * 3", 9],
      ["2 ^ 3 ^ 2", 512],
      ["2 ** 3", 8],
      ["-2 ^ 2", -4],
      ["2 ^ -1", 0.5],
      ["--3", 3],
      ["+3 - -1", 4],
      ["8 / 4 / 2", 1],
      ["1.5e2 + .5", 150.5],
      ["min(3, 1, 2) + max(3, 1, 2)", 4],
      ["log(exp(2)) + sqrt(9) + abs(-1)", 6],
      ["log2(8) + log10(100)", 5],
      ["1 / 0", Infinity],
    ]) near(value(text), want, text);
  },

  "points of columns"() {
    for (const [text, x, y] of [
      ["a / b", [0, 1, 2, 3], [2, 2, 2, Infinity]],
      ["2 * a - 1", [0, 1, 2, 3], [3, 7, 11, 15]],
      ["-a", [0, 1, 2, 3], [-2, -4, -6, -8]],
      ["min(a, 5)", [0, 1, 2, 3], [2, 4, 5, 5]],
      ["min(b)", [0, 1, 2, 3], [1, 1, 1, 0]],
      ["max(b)", [0, 1, 2, 3], [1, 2, 3, 3]],
      ["diff(a)", [0, 1, 2, 3], [NaN, 2, 2, 2]],
      ["cumsum(a)", [0, 1, 2, 3], [2, 6, 12, 20]],
      ["cumsum(gap)", [0, 1, 2, 3], [1, 1, 4, 4]],
      ["mean(a, 2)", [0, 1, 2, 3], [2, 3, 5, 7]],
      ["mean(gap, 2)", [0, 1, 2, 3], [1, 1, 3, 3]],
      ["a - mean(a)", [0, 1, 2, 3], [-3, -1, 1, 3]],
      ["ema(a, 0)", [0, 1, 2, 3], [2, 4, 6, 8]],
      ["ema(a, 0.5)", [0, 1, 2, 3], [2, 10 / 3, 34 / 7, 98 / 15]],
      ['"gradient/fc.weight" * 2', [0, 1], [10, 14]],
      [String.raw`'odd "name"' + "odd \"name\""`, [0], [2]],
    ]) {
      const got = value(text);
      near(got.x, x, `${text}: x`);
      near(got.y, y, `${text}: y`);
    }
  },

  "columns with different steps meet where the sparser one has points"() {
    for (const [text, x, y] of [
      ["a + sparse", [0, 2], [12, 26]],
      ["sparse - a", [0, 2], [8, 14]],
      ["sparse * late", [2.5], [22.5]],
      ["a * late", [2.5], [7]],
      ["a + empty", [], []],
      ["empty * 2", [], []],
    ]) {
      const got = value(text);
      near(got.x, x, `${text}: x`);
      near(got.y, y, `${text}: y`);
    }
  },

  "an error says where it is"() {
    for (const [text, part, message] of [
      ["", "", /empty/],
      ["a +", "+", /missing at the end/],
      ["a b", "b", /operator belongs before “b”/],
      ["a + * b", "*", /belongs before “\*”/],
      ["(a + b", "(", /never closed/],
      ["a)", ")", /closes nothing/],
      ["foo(a)", "foo", /no function “foo”/],
      ["constructor(a)", "constructor", /no function/],
      ["ema(a)", "ema(a)", /written ema\(a, 0.9\)/],
      ["ema(a, 1)", "1", /from 0 to below 1/],
      ["mean(a, b)", "b", /whole number of points/],
      ["1 + 'a", "'a", /no closing '/],
      ["a $ b", "$", /“\$” means nothing/],
      ["3d + 1", "3d", /begins with a digit/],
      ["a + nothing", "nothing", /no nothing/],
      ["min()", "min()", /written min/],
      ["(".repeat(200), "(", /nested too deeply/],
      ["-".repeat(200) + "1", "-", /nested too deeply/],
    ]) {
      const e = thrown(() => value(text), text);
      equal(message.test(e.message), true, `${text}: ${e.message}`);
      equal(text.slice(e.from, e.to), part, `${text}: the place`);
    }
  },

  "names and how they are written"() {
    equal(names(parse('a / b + ema(a, 0.9) + min("x/y", 1)')).map((n) => n.name), ["a", "b", "x/y"]);
    for (const [name, want] of [
      ["loss", "loss"],
      ["layer1.weight", "layer1.weight"],
      ["gradient/fc", '"gradient/fc"'],
      ["loss (EVAL)", '"loss (EVAL)"'],
      ["1st", '"1st"'],
      ["mean", '"mean"'],
      ['a"b\\', '"a\\"b\\\\"'],
      ["Verlust_ä", "Verlust_ä"],
    ]) {
      equal(quote(name), want);
      equal(names(parse(quote(name)))[0].name, name, "read again");
    }
  },
};
