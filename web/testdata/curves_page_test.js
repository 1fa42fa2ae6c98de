import { catalogue, searched, withStatistics } from "../app/pages/curves/catalogue.js";
import { drawnText, lines } from "../app/pages/curves/lines.js";
import { Loader } from "../app/pages/curves/loader.js";
import { Growth, joined, viewOfNew } from "../app/pages/curves/live.js";
import { marksOf } from "../app/pages/curves/marks.js";
import { needs, ofExpression, ofPattern, ownChart } from "../app/pages/curves/parts.js";
import * as own from "../app/pages/curves/own.js";
import { asBefore, groupings, looks } from "../app/pages/curves/runs.js";
import { chartKey, found, read, written } from "../app/pages/curves/series.js";
import { Watched } from "../app/pages/curves/shared.js";
import * as settings from "../app/pages/curves/settings.js";
import { parse } from "../app/core/expression.js";
import { equal, near } from "./check.js";

const curves = [
  { name: "loss", series: "loss||TRAIN|", group: "losses", points: 10 },
  { name: "loss", series: "loss||EVAL|", group: "losses", points: 2 },
  { name: "fc.weight", series: "fc.weight|mean|TRAIN|", group: "collection weights", points: 10 },
  { name: "a|b/ä", series: "a%7Cb%2F%C3%A4|mean|TRAIN|", group: "collection weights", points: 10 },
];

const route = (query) => ({
  get: (key, otherwise = "") => query[key]?.[0] ?? otherwise,
  all: (key) => query[key] ?? [],
});

const series = (x, y, more = {}) => ({ raw: true, points: x.length, x: Float64Array.from(x), mean: Float64Array.from(y), x_last: [], min: [], max: [], last_value: [], odd: [], unit: "", ...more });
const settled = { group: "", smoothing: 0, band: "range", singles: true };

export const tests = {
  "names of series"() {
    const asked = { tensor: "a|b/ä", stat: "mean", mode: "TRAIN", worker: "" };
    equal(written(asked), "a%7Cb%2F%C3%A4|mean|TRAIN|");
    equal(read(written(asked)), asked);
    equal(read("loss"), { tensor: "loss", stat: "", mode: "", worker: "" });
    equal(chartKey(read("loss|value|EVAL|")), "loss|", "value is no statistic");
    const known = catalogue([{ run: "A", curves }]).known;
    equal(found("loss", known).key, "loss|");
    equal(found("fc.weight · mean", known).stat, "mean");
    equal(found("loss||EVAL", known).mode, "EVAL");
    equal(found("fc.weight", known), null);
    equal([found("fc.weight · std", known).stat, found("fc.weight|std|TRAIN", known).stat, found("loss · std", known)], ["std", "std", null], "a statistic that is not shown");
  },

  "the charts of several runs"() {
    const given = catalogue([{ run: "A", curves }, { run: "B", curves: [curves[0], { name: "acc", series: "acc||EVAL|", group: "metrics" }] }]);
    equal(given.groups.map((g) => [g.title, g.charts.map((c) => c.heading)]), [
      ["Losses", ["loss"]],
      ["Metrics", ["acc"]],
      ["weights · mean", ["fc.weight", "a|b/ä"]],
    ], "a chart does not say what the heading of its group says");
    equal(given.charts.map((c) => c.title), ["loss", "fc.weight · mean", "a|b/ä · mean", "acc"]);
    equal(given.known.get("loss").asks, [{ mode: "TRAIN", s: "loss||TRAIN|" }, { mode: "EVAL", s: "loss||EVAL|" }]);
    equal([...given.known.get("loss").runs], ["A", "B"]);
    equal(searched(given, "WEIGHT").groups.map((g) => g.charts.length), [1], "searched");
    equal(searched(given, "/(/").count, 0);
    const some = withStatistics(given, new Map([["fc.weight", ["mean", "std", "max"]]]), ["std", "max"]);
    equal(some.charts.map((c) => c.title), ["loss", "fc.weight · std", "fc.weight · max", "a|b/ä · mean", "acc"], "with statistics");
    equal(some.known.get("fc.weight · std").asks, [{ mode: "TRAIN", s: "fc.weight|std|TRAIN|" }]);
  },

  "the settings stand in the address"() {
    const plain = settings.read(route({}));
    equal([plain.axis, plain.smoothing, plain.zoom, plain.singles, plain.outliers], ["step", 0, null, true, true]);
    equal(settings.read(route({ runs: ["a,b"] })).outliers, false, "of several runs one that diverged would flatten the others");
    equal([true, false].map((outliers) => settings.changed({ outliers }).outliers), ["1", "0"]);
    equal(settings.read(route({ runs: ["a,b"], outliers: ["1"] })).outliers, true);
    const set = settings.read(route({ smooth: ["0.9"], axis: ["epoch"], from: ["1.5"], to: ["3"], hidden: ["a%2Cb,c"], singles: ["0"] }));
    equal([set.smoothing, set.axis, set.zoom, set.singles], [0.9, "epoch", [1.5, 3], false]);
    equal([...set.hidden], ["a,b", "c"]);
    equal(settings.changed({ hidden: set.hidden, zoom: [1, 2], axis: "step" }), { hidden: "a%2Cb,c", from: "", to: "", axis: "" });
    equal(settings.read(route({ axis: ["nonsense"], from: ["5"], to: ["1"], smooth: ["7"] })).zoom, null, "wrong ones are left out");
  },

  "charts of one's own"() {
    equal(own.read(own.write("expression", "a / b")), { kind: "expression", text: "a / b", key: "e:a / b" });
    equal(own.read(own.write("pattern", "loss*")).kind, "pattern");
    equal(own.read("nonsense"), null);
  },

  "lines of one run"() {
    const data = { "loss||TRAIN|": series([0, 1, 2], [4, 2, 0]), "loss||EVAL|": series([2], [3]) };
    const parts = [{ label: "loss", asks: [{ s: "loss||TRAIN|", label: "TRAIN" }, { s: "loss||EVAL|", label: "EVAL" }] }];
    const runs = [{ name: "A" }];
    const got = lines({ parts, runs, got: (_, s) => data[s] ?? null, settings: settled });
    equal(got.map((l) => [l.label, l.colour]), [["TRAIN", "--series-1"], ["EVAL", "--series-2"]]);
    equal(drawnText(got, { count: String, compact: String }), "4 points");
    const soft = lines({ parts, runs, got: (_, s) => data[s] ?? null, settings: { ...settled, smoothing: 0.5 } });
    near(soft[0].y, [4, 8 / 3, 8 / 7], "smoothed");
    near(soft[0].behind, [4, 2, 0], "what lies behind");
  },

  "minimum and maximum of columns stay"() {
    const columns = series([0, 10], [1, 2], { raw: false, points: 1_200_000, x_last: Float64Array.of(9, 19), min: Float64Array.of(-1, 0), max: Float64Array.of(5, 6) });
    const [line] = lines({ parts: [{ label: "a", asks: [{ s: "a", label: "" }] }], runs: [{ name: "A" }], got: () => columns, settings: settled });
    near(line.max, [5, 6]);
    equal(drawnText([line], { count: String, compact: () => "1.2 M" }), "1.2 M points, minimum and maximum of 2 columns");
  },

  "mean and band count hidden runs too"() {
    const data = { A: series([0, 1], [1, 1]), B: series([0, 1], [3, 5]), C: series([0, 1], [9, 9]) };
    const runs = [
      { name: "A", colour: "--series-1", group: "g" },
      { name: "B", colour: "--series-2", group: "g", hidden: true },
      { name: "C", colour: "--series-3", group: "h" },
    ];
    const got = lines({ parts: [{ label: "loss", asks: [{ s: "loss", label: "" }] }], runs, got: (run) => data[run], settings: { ...settled, group: "tag.x" } });
    equal(got.map((l) => [l.role, l.label]), [["single", "A"], ["single", "C"], ["mean", "g · mean of 2"], ["mean", "h · mean of 1"]]);
    near(got[2].y, [2, 3]);
    near(got[2].max, [3, 5]);
    equal(got[3].min, null, "one run has no band");
  },

  "runs look as it was set for them, in groups as their group"() {
    const rows = new Map([
      ["a-1", { name: "a-1", tags: { kind: "x" }, parameters: { lr: "0.1", seed: "1" } }],
      ["a-2", { name: "a-2", tags: {}, parameters: { lr: "0.1", seed: "2" } }],
      ["b-1", { name: "b-1", tags: {}, parameters: { lr: "0.2", seed: "3" } }],
    ]);
    const names = [...rows.keys()];
    const at = (ui, group = "") => looks(names, rows, { ui, settings: { group, hidden: new Set(["a-2"]) } });
    equal(at({}).map((r) => r.colour), ["--series-1", "--series-2", "--series-3"]);
    equal(at({}).map((r) => r.hidden), [false, true, false]);
    equal(at({ colours: { "a-2": "7 dashed" } })[1].colour, "--series-7", "set for the run");
    equal(at({ colours: { "a-2": "7 dashed" } })[1].dash, [6, 3]);
    equal(at({ styles: { colour_by: "param.lr" } }).map((r) => r.colour), ["--series-1", "--series-1", "--series-2"], "by a field");
    equal(at({ styles: { rules: [{ field: "name", expression: "^b", colour: 5, line: "dotted" }] } })[2].colour, "--series-5", "by a rule");
    equal(at({}, "param.lr").map((r) => [r.group, r.colour]), [["lr 0.1", "--series-1"], ["lr 0.1", "--series-1"], ["lr 0.2", "--series-2"]], "in groups");
    equal(at({}, "name").map((r) => r.group), ["a", "a", "b"]);
    equal(at({}, "tag.kind").map((r) => r.group), ["kind x", "without kind", "without kind"]);
    equal(groupings([...rows.values()]).map((g) => g.value), ["", "all", "name", "tag.kind", "param.lr"], "seeds differ in every run");
    const before = at({});
    equal(asBefore(before, at({})) === before, true, "the same again");
  },

  "an expression of each run"() {
    const data = { a: series([0, 1], [4, 6]), b: series([0, 1], [2, 3]) };
    const part = { label: "a / b", tree: parse("a / b"), ask: (name) => name };
    const got = lines({ parts: [part], runs: [{ name: "A" }, { name: "B" }], got: (run, s) => (run === "A" || s === "a" ? data[s] : null), settings: settled });
    equal(got.length, 1, "a run without b has no line");
    near(got[0].y, [2, 2]);
  },

  "charts of expressions and patterns"() {
    const given = catalogue([{ run: "A", curves }]);
    const ratio = ofExpression('loss / "fc.weight · mean"', given);
    equal(needs(ratio.parts), ["loss||TRAIN|", "fc.weight|mean|TRAIN|"]);
    equal(needs(ofExpression('"loss||EVAL"', given).parts), ["loss||EVAL|"], "of another mode");
    for (const [text, message, place] of [
      ["loss / nothing", "There is no series “nothing”.", "nothing"],
      ["2 * fc.weight", "There is no series “fc.weight”. Is it “fc.weight · mean”?", "fc.weight"],
      ["loss / (1", "This “(” is never closed.", "("],
      ["1 + 1", "No series occurs in it, so there is nothing to draw.", "1 + 1"],
    ]) {
      const { error } = ofExpression(text, given);
      equal([error.message, text.slice(error.from, error.to)], [message, place], text);
    }
    equal(ofPattern("*mean", given).parts.map((p) => p.label), ["fc.weight · mean", "a|b/ä · mean"]);
    equal(ofPattern("nothing", given).error.message, "No series has such a name.");
    equal(ownChart(own.read("s:fc.weight|mean"), given).title, "fc.weight · mean");
    equal(ownChart(own.read("s:fc.weight|std"), given).asks, [{ mode: "TRAIN", s: "fc.weight|std|TRAIN|" }]);
    equal(ownChart(own.read("s:gone|"), given), null);
  },

  "marks stand on every axis"() {
    const list = {
      marks: [{ id: "a", update: 5, epoch: 0.25, time: "2026-01-01T00:00:10Z", severity: "error", subject: "" }, { id: "b", update: 7, epoch: "NaN", severity: "warning", subject: "other" }],
      checkpoints: [{ step: 10, epoch: 0.5, time: "2026-01-01T00:00:20Z" }],
    };
    const at = (axis, subjects = ["loss"]) => marksOf(list, { axis, subjects, started: "2026-01-01T00:00:00Z", open() {} }).map((m) => m.x);
    equal(at("step"), [5, 10]);
    equal(at("step", ["other"]), [5, 7, 10], "about the tensor");
    equal(at("relative"), [10, 20]);
    equal(at("epoch"), [0.25, 0.5]);
    equal(at("epoch", ["other"]), [0.25, 0.5], "nothing where it is not known");
  },
  "what is new of a series is asked for from its end, or the whole series is"() {
    const view = { axis: "update", columns: 480 };
    const long = series(Array.from({ length: 40 }, (_, i) => i), Array.from({ length: 40 }, (_, i) => i));
    equal(viewOfNew(long, null, view), { axis: "update", columns: 480, from: 39 });
    equal(viewOfNew({ ...long, raw: false, x_last: Float64Array.of(41) }, null, view).from, 41, "the end of its last column");
    for (const [why, one, part, other] of [
      ["so few that their places may change", series([0, 1], [0, 1]), null, view],
      ["much was added", long, { points: 801 }, view],
      ["epochs may begin elsewhere than it seemed", long, null, { ...view, axis: "epoch" }],
      ["a part of the axis is shown", long, null, { ...view, from: 0, to: 50 }],
    ]) equal(viewOfNew(one, part, other) === other, true, why);
  },

  "a series is followed by its newest part"() {
    const part = series([1, 2, 3], [10, 20, NaN], { last: 3 });
    const raw = joined(series([0, 1], [0, 1]), part);
    near(raw.x, [0, 1, 2, 3]);
    near(raw.mean, [0, 10, 20, NaN], "the point at the end is that of the part");
    equal([raw.points, raw.last], [4, 3]);
    near(joined(series([0, 0.5], [0, 5]), part).x, [0, 0.5, 1, 2, 3], "a part without that point");
    const columns = joined(series([0], [0], { raw: false, points: 9, x_last: Float64Array.of(2), min: Float64Array.of(-1), max: Float64Array.of(1), last_value: Float64Array.of(0), odd: Float64Array.of(0) }), part);
    near(columns.x_last, [2, 3]);
    near(columns.max, [1, NaN]);
    near(columns.odd, [0, 1]);
    equal(columns.points, 10);
    const known = series([3], [30]);
    for (const nothing of [null, series([], []), series([2], [2])]) equal(joined(known, nothing) === known, true);
    const growth = new Growth();
    growth.grew(["a", "b"]);
    growth.grew(["a"]);
    growth.forget("b");
    equal([growth.count("a"), growth.count("b")], [2, 0]);
  },

  async "what is wanted together is asked together"() {
    const asked = [];
    const get = (path, query, { signal }) => {
      asked.push([path, query.run ?? 1, query.s.length, signal]);
      return Promise.resolve(path === "series/compare" ? { runs: query.run.map((run) => ({ run, series: query.s.map((s) => ({ name: s, x: [1], mean: [1] })) })) } : { series: query.s.map((s) => ({ name: s, x: [1], mean: [1] })) });
    };
    const loader = new Loader(get);
    const view = { axis: "step", columns: 400 };
    const names = Array.from({ length: 100 }, (_, i) => `s${i}`);
    const all = await Promise.all(names.map((s) => new Promise((done) => loader.want("A", s, view, done))));
    equal(asked.map(([path, , n]) => [path, n]), [["runs/A/series", 64], ["runs/A/series", 36]]);
    equal(all.map((s) => s.name), names);
    asked.length = 0;
    loader.want("A", "s5", view, (s) => equal(s.name, "s5", "what was read is kept"));
    await new Promise((done) => setTimeout(done, 5));
    equal(asked.length, 0);
    await Promise.all(["A", "B"].flatMap((run) => ["p", "q"].map((s) => new Promise((done) => loader.want(run, s, view, done)))));
    equal(asked.map(([path, runs, n]) => [path, runs, n]), [["series/compare", ["A", "B"], 2]], "several runs");
    asked.length = 0;
    const many = Array.from({ length: 100 }, (_, i) => `run-${i}`);
    await Promise.all(many.flatMap((run) => names.slice(0, 10).map((s) => new Promise((done) => loader.want(run, s, view, done)))));
    equal(asked.map(([path, runs, n]) => [path, runs.length, n]), [["series/compare", 100, 5], ["series/compare", 100, 5]], "many runs, few requests");
    loader.forget("A");
    asked.length = 0;
    await new Promise((done) => loader.want("A", "s5", view, done));
    equal(asked.length, 1, "forgotten");
  },

  "series that are seen"() {
    const watched = new Watched();
    const gone = [];
    const one = watched.watch(["a", "b"], (s) => gone.push(s));
    const two = watched.watch(["b", "c"], (s) => gone.push(s));
    one();
    equal(gone, ["a"], "b is still seen");
    two();
    equal(gone, ["a", "b", "c"]);
  },

  async "what nobody wants is cancelled"() {
    const signals = [];
    const loader = new Loader((path, query, { signal }) => {
      signals.push([query.s, signal]);
      return new Promise((_, fail) => signal.addEventListener("abort", () => fail(Object.assign(new Error("given up"), { name: "AbortError" }))));
    });
    const view = { axis: "step", columns: 400 };
    const never = () => equal("called", "not called");
    const before = loader.want("A", "before", view, never);
    before();
    const [a, b] = ["a", "b"].map((s) => loader.want("A", s, view, never));
    await new Promise((done) => setTimeout(done, 5));
    equal(signals.map(([s]) => s), [["a", "b"]], "asked");
    a();
    equal(signals[0][1].aborted, false, "b is still wanted");
    b();
    equal(signals[0][1].aborted, true);
  },
};
