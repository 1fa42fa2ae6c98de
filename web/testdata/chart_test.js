import { powers, tick } from "../app/parts/chart/axes.js";
import { extent, roomy, under } from "../app/parts/chart/values.js";
import { equal, near } from "./check.js";

export const tests = {
  "lines of a logarithmic axis"() {
    for (const [min, max, want] of [
      [1e-3, 10, [1e-3, 1e-2, 1e-1, 1, 10]],
      [1e-30, 1, [1e-30, 1e-24, 1e-18, 1e-12, 1e-6, 1]],
      [1e-310, 1, [1e-260, 1e-208, 1e-156, 1e-104, 1e-52, 1]],
      [0.8, 60, [1, 2, 5, 10, 20, 50]],
      [2.1e-8, 2.9e-8, [2.2e-8, 2.4e-8, 2.6e-8, 2.8e-8]],
      [3, 9, [4, 6, 8]],
    ]) near(powers(min, max, 6).map(Math.log10), want.map(Math.log10), `${min} to ${max}`);
  },

  "values of an axis are no finer than they have to be"() {
    for (const [values, step, want] of [
      [[0, 0.5, 1], 0.5, ["0", "0.5", "1.0"]],
      [[0, 2.5e-11, 5e-11, 7.5e-11], 2.5e-11, ["0", "2.5e\u221211", "5e\u221211", "7.5e\u221211"]],
      [[-2e-13, 0, 2e-13], 2e-13, ["\u22122e\u221213", "0", "2e\u221213"]],
      [[0, 1e-5, 2e-5], 1e-5, ["0", "1e\u22125", "2e\u22125"]],
      [[0.00095, 0.001, 0.00105], 5e-5, ["0.00095", "0.00100", "0.00105"]],
      [[1.0000002e-5, 1.0000004e-5], 2e-12, ["1.0000002e\u22125", "1.0000004e\u22125"]],
      [[0.6931471, 0.6931472], 1e-7, ["0.6931471", "0.6931472"]],
      [[0, 1e6, 2e6], 1e6, ["0", "1 M", "2 M"]],
      [[-1e-17, 0.1], 0.1, ["0", "0.1"]],
    ]) equal(values.map((value) => tick(value, step, "", Math.max(...values.map(Math.abs)))), want, String(values));
    equal(tick(0, 20, "percent", 100), "0 %");
  },

  "a series has no value where it has not begun or is over"() {
    const series = { x: [100, 150, 200] };
    for (const [place, want] of [[99, 0], [97, -1], [140, 1], [201, 2], [203, -1]]) equal(under(series, place), want, String(place));
    equal(under({ x: [0, 10], xLast: [9, 19] }, 18), 1, "the last column");
    equal(under({ x: [] }, 1), -1);
  },

  "values that differ only by rounding are not spread over the axis"() {
    for (const [low, high, from, to] of [[2, 2, 1.8, 2.2], [-2, -2 + 4e-16, -2.2, -1.8], [0, 0, -1, 1], [1, 1 + 1e-9, 1 - 5e-11, 1 + 1.05e-9]]) near(roomy([low, high]), [from, to], `${low} to ${high}`);
  },

  "the range holds minimum, maximum and what lies behind"() {
    equal(extent([{ x: [0, 1], y: [1, 2], min: [0, 1], max: [3, 2] }], [0, 1]), [0, 3]);
    equal(extent([{ x: [0, 1], y: [1, 2], behind: [-1, 9] }], [0, 1]), [-1, 9]);
    equal(extent([{ x: [0, 1], y: [1, 2], behind: [-1, 9] }], [0, 1], { clip: true }), [1, 2]);
    equal(extent([{ x: [0, 1], y: [-1, 2] }], [0, 1], { positive: true }), [2, 2]);
  },
};
