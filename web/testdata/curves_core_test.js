import { at, grid, group } from "../app/core/align.js";
import { matcher, pick } from "../app/core/pattern.js";
import { smooth } from "../app/core/smooth.js";
import { equal, near } from "./check.js";

export const tests = {
  "smoothing begins at the first point and passes over gaps"() {
    for (const [values, weight, want] of [
      [[1, 2, 3], 0, [1, 2, 3]],
      [[5, 5, 5], 0.99, [5, 5, 5]],
      [[0, 3], 0.5, [0, 2]],
      [[1, NaN, 1, Infinity, 1], 0.9, [1, NaN, 1, Infinity, 1]],
      [[], 0.9, []],
    ]) near(smooth(values, weight), want, `${values} by ${weight}`);
  },

  "a curve at other places"() {
    near(at([0, 10, 20], [0, 1, 3], [-1, 0, 5, 10, 15, 20, 21]), [NaN, 0, 0.5, 1, 2, 3, NaN]);
    near(at([0, 10, 20], [0, NaN, 3], [0, 5, 10, 15, 20]), [0, NaN, NaN, NaN, 3], "around a gap");
    near(at([], [], [1]), [NaN], "of no points");
  },

  "one grid for several runs"() {
    near(grid([[0, 2, 4], [1, 2]], 10), [0, 1, 2, 4]);
    near(grid([[0, 1, 2, 3, 8]], 3), [0, 4, 8], "of at most so many places");
  },

  "mean and band of runs with different steps"() {
    const curves = [
      { x: [0, 1, 2, 3], y: [1, 1, 1, 1] },
      { x: [0, 2], y: [3, 5] },
      { x: [2], y: [NaN] },
    ];
    const range = group(curves);
    near(range.x, [0, 1, 2, 3]);
    near(range.mean, [2, 2.5, 3, 1]);
    near(range.low, [1, 1, 1, 1]);
    near(range.high, [3, 4, 5, 1]);
    near(range.count, [2, 2, 2, 1]);
    const deviation = group(curves, "deviation");
    near(deviation.high, [2 + Math.SQRT2, 2.5 + Math.sqrt(4.5), 3 + Math.sqrt(8), 1], "deviation");
    near(group(curves, "error").low, [1, 1, 1, 1], "standard error");
  },

  "what a text picks"() {
    const all = ["loss", "loss (EVAL)", "Net_fc1.weight", "Net_fc2.bias", "gradient/Net_fc1.weight"];
    for (const [text, want] of [
      ["", all],
      ["LOSS", ["loss", "loss (EVAL)"]],
      ["loss eval", ["loss (EVAL)"]],
      ["net_*.weight", ["Net_fc1.weight"]],
      ["*fc?.*", ["Net_fc1.weight", "Net_fc2.bias", "gradient/Net_fc1.weight"]],
      ["loss*", ["loss", "loss (EVAL)"]],
      ["/fc[12]\\.(weight|bias)$/", ["Net_fc1.weight", "Net_fc2.bias", "gradient/Net_fc1.weight"]],
      ["/^LOSS$/i", ["loss"]],
      ["/(/", []],
      ["nothing", []],
    ]) equal(pick(all, text), want, text);
    equal(pick(all, "", 2), all.slice(0, 2), "at most two");
    equal(/cannot be read/.test(matcher("/(/").error), true, matcher("/(/").error);
    equal(pick(["a".repeat(5000)], "*a*a*a*a*a*a*a*a*b"), [], "many stars take no long time");
  },
};
