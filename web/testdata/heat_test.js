// Parts of heat maps and histograms that need no page.
import { equal } from "./check.js";
import { named, uneven } from "../app/parts/heat/paint.js";
import { constant, trimmed, zeros } from "../app/pages/tensors/bins.js";
import { worstOf } from "../app/pages/tensors/layers.js";

const rows = (count, found = {}) => Array.from({ length: count }, (_, i) => ({ name: `row ${i}`, severity: found[i] }));

export const tests = {
  "columns that are not equally far apart are known"() {
    for (const [columns, want] of [
      [[], false], [[7], false], [[0, 100], false], [[0, 10, 20, 30], false], [[0, 1, 2, 10, 100], true], [[0, 50, 100, 101], true],
      [[0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 99], false],
      [Array.from({ length: 600 }, (_, i) => Math.ceil((i * 1000) / 600)), false],
      [Array.from({ length: 600 }, (_, i) => (i < 300 ? i : 300 + 100 * (i - 300))), true],
    ]) equal(uneven(columns), want, columns.slice(0, 12).join(" "));
  },
  "rows with a finding are named, of the others as many as have room"() {
    equal(named(rows(4), [0, 4], 22), [0, 1, 2, 3]);
    equal(named(rows(8), [0, 8], 6), [1, 3, 5, 7]);
    equal(named(rows(8, { 2: "error" }), [0, 8], 6), [2, 5, 7], "none lies over another");
    equal(named(rows(8, { 2: "error", 6: "info" }), [4, 8], 6), [6], "in sight");
  },
  "the worst that was found of a tensor"() {
    const of = (subject, severity, muted) => ({ subject, severity, muted });
    equal([...worstOf([of("a", "error"), of("a", "info"), of("b", "info"), of("b", "warning"), of("c", "error", true)])].sort(), [["a", "error"], ["b", "warning"]]);
  },
  "a tensor with one value"() {
    equal(constant({ min: 0.5, max: 0.5, nan: 0, inf: 0 }), 0.5);
    equal(constant({ min: 0, max: 0 }), 0);
    equal([constant({ min: 0.5, max: 0.6 }), constant({ min: 0.5, max: 0.5, nan: 1 }), constant({ min: 0.5, max: 0.5, inf: 1 }), constant({ min: NaN, max: NaN }), constant({})], [null, null, null, null, null]);
  },
  "histograms of nothing but zeros are known"() {
    equal([zeros({ zero: 1, counts: [[0, 8, 0], [0, 8, 0]] }), zeros({ zero: 1, counts: [[0, 8, 0], [1, 7, 0]] }), zeros({ zero: 0, counts: [] })], [true, false, false]);
  },
  "the only bin is not the whole width"() {
    equal(trimmed({ edges: [0.25, 0.5, 1, 2], counts: [[0, 8, 0], [0, 9, 0]] }), { edges: [0, 0.5, 1, 1.5], counts: [[0, 8, 0], [0, 9, 0]] });
    equal(trimmed({ edges: [0.5, 1], counts: [[8]] }), { edges: [0, 0.5, 1, 1.5], counts: [[0, 8, 0]] });
    equal(trimmed({ edges: [0, 1, 2, 3, 4], counts: [[0, 8, 1, 0]] }), { edges: [1, 2, 3], counts: [[8, 1]] });
  },
};
