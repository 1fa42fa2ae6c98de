// The parts of the page Runs that need no page.
import { equal } from "./check.js";
import { parse, spell, styler } from "../app/core/runstyle.js";
import { available, columnOf, ordered, usual } from "../app/pages/runs/columns.js";
import { fields, needsOf } from "../app/pages/runs/fields.js";
import { namesOf, sameNames } from "../app/pages/runs/names.js";
import { parcels, take } from "../app/pages/runs/received.js";
import { query } from "../app/core/query.js";
import { suggest } from "../app/pages/runs/suggest.js";
import { read } from "../app/pages/runs/tags.js";
import { textOf } from "../app/pages/runs/looks.js";
import { sortedBy } from "../app/parts/table/head.js";
import { compare, sorted } from "../app/parts/table/order.js";

const rows = [
  { name: "run-10", status: "running", started: "2026-11-26T10:00:00Z", tags: { lr: "0.1", "two words": "x y" }, cells: { "param.lr": "0.1", "param.model": "vit", "last.loss": 0.5, "min.loss": 0.4, "max.loss": 2, "best.loss": 0.4 }, loss: 0.5, found: [{ rule: "dead_relu", check: "dead", severity: "error" }], findings: { error: 1 }, host: "node-1", progress: { step: 5, of: 10, fraction: 0.5 } },
  { name: "run-2", status: "completed", started: "2026-11-25T10:00:00Z", tags: {}, cells: { "param.lr": "1e-3", "param.model": "lstm", "last.loss": NaN, "min.loss": 0.3, "max.loss": 2, "best.loss": 0.3, "last.accuracy": 1, "min.accuracy": 0, "max.accuracy": 1 }, loss: NaN, found: [], findings: {}, host: "node-2", progress: null },
  { name: "run-1", status: "failed", started: "2026-11-24T10:00:00Z", tags: { lr: "0.02" }, cells: {}, found: [], findings: { warning: 2 }, host: "node-1" },
];
const told = { values: new Set(["accuracy", "loss"]), less: new Set(["loss"]), parameters: new Set(["model", "lr"]) };
const names = namesOf(rows, told);
const order = (id, down = false) => sorted(rows, [columnOf(id)], [{ id, down }]).map((row) => row.name);

export const tests = {
  "tags are read as they are written"() {
    for (const [text, want] of [
      ["", {}], ["a=1 b=2", { a: "1", b: "2" }], ["flag", { flag: "true" }], ["a=", { a: "" }], ["a=b=c", { a: "b=c" }], ["\"k=two words\"", { k: "two words" }], ["k=\"two words\" b=1", { k: "two words", b: "1" }],
      ["  a=1\tb=2 ", { a: "1", b: "2" }], ["=x", {}], ["\"k=say \\\"hi\\\"\"", { k: "say \"hi\"" }], ["a=<b>", { a: "<b>" }],
    ]) equal(read(text), want, `tags of ${text}`);
  },
  "a click sorts a loss from the smallest, other figures from the largest, a name from A"() {
    for (const [id, down] of [["losses", false], ["best.loss", false], ["last.loss", false], ["at.10.loss", false], ["best.accuracy", true], ["at.10.accuracy", true], ["duration", true], ["name", false]]) {
      const column = ordered(columnOf(id), names);
      const first = sortedBy([], column, false);
      equal(first, [{ id, down }], `the first click on ${id}`);
      equal(sortedBy(first, column, false), [{ id, down: !down }], `the second click on ${id}`);
      equal(sortedBy([{ id, down: !down }], column, false), [], `the third click on ${id}`);
      equal(sortedBy([{ id: "x", down: true }], column, true), [{ id: "x", down: true }, { id, down }], `a click with Shift on ${id}`);
    }
    equal(sorted(rows, [columnOf("best.loss")], sortedBy([], ordered(columnOf("best.loss"), names), false)).map((row) => row.name), ["run-2", "run-10", "run-1"], "the best loss comes first");
  },
  "colours and lines: of the run, by the first rule, by the field"() {
    equal(parse("3 dashed"), { colour: 3, line: "dashed" });
    equal(parse("--series-4"), { colour: 4, line: "" });
    equal(parse("dotted"), { colour: 0, line: "dotted" });
    equal(parse("#ff0000"), { colour: 0, line: "" });
    equal(spell({ colour: 3, line: "dashed" }), "3 dashed");
    equal(spell({ colour: 0, line: "" }), "");
    const look = styler({ colours: { "run-1": "7" }, styles: { colour_by: "param.model", line_by: "status", rules: [{ field: "name", expression: "^RUN-2$", colour: 5, line: "dotted" }, { field: "name", expression: "(" }, { field: "host", expression: "node", colour: 8 }] } }, rows, textOf);
    equal(rows.map(look), [{ colour: 2, line: "dotted" }, { colour: 5, line: "dotted" }, { colour: 7, line: "dashed" }]);
    equal(rows.map(styler({}, rows, textOf)), rows.map(() => ({ colour: 0, line: "" })));
    equal(rows.map(styler(undefined, rows, textOf)), rows.map(() => ({ colour: 0, line: "" })));
  },
  "names of tags, parameters and values"() {
    equal([...names.tags], ["lr", "two words"]);
    equal([...names.values], ["loss", "accuracy"], "the loss comes first");
    equal(sameNames(names, namesOf([...rows], told)), true);
    equal(sameNames(names, namesOf(rows.slice(1), told)), false);
    equal(sameNames(null, names), false);
    // Names that every object has are names like others.
    const odd = { name: "odd", tags: { constructor: "x" }, cells: {} };
    equal([...namesOf([odd], told).tags], ["constructor"]);
    equal([columnOf("tag.constructor").value(odd), columnOf("param.constructor").value(odd), columnOf("last.constructor").value(odd), columnOf("tag.toString").value(odd)], ["x", "", null, ""]);
  },
  "columns that came are put into rows"() {
    const known = new Map([["a", { name: "a", note: "old", came: 1, cells: { "last.loss": 1, "last.x": 7 } }], ["c", { name: "c", cells: {} }]]);
    const before = known.get("a");
    take({ runs: ["a", "b"], cells: [
      { id: "last.loss", numbers: new Float64Array([NaN, 2]) }, { id: "last.__proto__", rows: new Float64Array([1]), numbers: new Float64Array([3]) }, { id: "note", rows: [], values: [], at: [] },
      { id: "tags", rows: [1], values: [{ x: "1" }], at: [0] }, { id: "param.lr", values: ["0.1"], at: new Float64Array([0, 0]) },
    ] }, known);
    const [a, b] = [known.get("a"), known.get("b")];
    equal([a.cells["last.loss"], b.cells["last.loss"], a.cells["last.x"], a.cells["last.__proto__"], b.cells["last.__proto__"], a.cells["param.lr"], b.cells["param.lr"]], [NaN, 2, 7, undefined, 3, "0.1", "0.1"]);
    equal([a.note, a.tags, b.tags, b.searched, a.came, known.size], [undefined, undefined, { x: "1" }, ["b", "", "", "x=1"], 1, 3], "what is not there any more is gone");
    equal(a !== before, true, "a row that changed is another one");
    take({ runs: ["a"], cells: [], members: [{ note: "new", duration: 5 }] }, known);
    equal([known.get("a").note, known.get("a").cells["last.x"], known.get("a").came > 1], ["new", 7, true]);
    equal(parcels([]), [[]]);
    const many = Array.from({ length: 500 }, (_, i) => `last.a/rather/long/name/of/a/series/${i}`);
    equal([parcels(many).flat(), parcels(many).length > 1, parcels(many).every((list) => list.map(encodeURIComponent).join("&c=").length < 8100)], [many, true, true]);
  },
  "a query needs columns"() {
    const table = fields(names);
    const needs = (text) => [...new Set(needsOf(text, query(text, table).terms, table))];
    for (const [text, want] of [["", []], ["resnet", []], ["loss<0.5", ["last.loss"]], ["value.loss.best<1 or lr=0.1", ["best.loss", "param.lr"]], ["-(accuracy.max>0.5) status:failed", ["max.accuracy"]], ["tag:a note:b started<7d", []], ["host", ["host"]], ["root:x", ["found"]], ["gpus>1", ["machine"]], ["none>1", []]]) equal(needs(text), want, text);
  },
  "columns order rows as people count"() {
    equal(order("name"), ["run-1", "run-2", "run-10"]);
    equal(order("status"), ["run-10", "run-1", "run-2"], "what goes on first");
    equal(order("started", true), ["run-10", "run-2", "run-1"]);
    equal(order("param.lr"), ["run-2", "run-10", "run-1"], "numbers as numbers, none last");
    equal(order("param.lr", true), ["run-10", "run-2", "run-1"], "none last either way");
    equal(order("last.loss"), ["run-10", "run-2", "run-1"], "NaN and none last");
    equal(order("min.loss"), ["run-2", "run-10", "run-1"]);
    equal(order("findings", true), ["run-10", "run-1", "run-2"], "an error outweighs warnings");
    equal(order("tag.lr"), ["run-1", "run-10", "run-2"]);
    equal(compare(NaN, 1) > 0 && compare(NaN, 1, true) > 0, true);
  },
  "every column that an address may name"() {
    const all = available(names, [...usual, "at.100.loss", "param.gone", "nonsense"]);
    equal(usual.every((id) => all.some((column) => column.id === id)), true);
    equal(all.filter((column) => column.id === "at.100.loss").map((column) => column.title), ["loss at 100"]);
    equal(all.some((column) => column.id === "param.gone"), true, "a column of a view stays where no run has it");
    equal(all.some((column) => column.id === "nonsense"), false);
    equal(new Set(all.map((column) => column.id)).size, all.length, "each once");
    for (const id of ["", ".", "tag.", "at.x.loss", "at.5.", "__proto__", "constructor.x"]) equal(columnOf(id), null, id);
    for (const column of all.filter((column) => !column.id.startsWith("at."))) for (const row of [...rows, { name: "bare" }]) column.value(row);
  },
  "what the search offers"() {
    const offered = (text, caret = text.length) => suggest(text, caret, { rows, names });
    const labels = (text) => offered(text).list.map((one) => one.label);
    equal(labels("status:r"), ["running"]);
    equal(labels("finding:de"), ["dead_relu"]);
    equal(labels("resnet sta").slice(0, 2), ["status", "started"]);
    equal(labels("tag:lr"), ["lr=0.1", "lr=0.02"]);
    equal(offered("lo").list.find((one) => one.hint === "value"), { label: "loss", insert: "loss<", hint: "value" });
    equal(labels("model"), []);
    equal(labels("mod"), ["model"]);
    equal(labels(""), []);
    equal(labels("loss<0."), []);
    equal(labels("constructor:x"), []);
    const { from, to, list } = offered("sta x", 3);
    equal([from, to, list[0].insert], [0, 3, "status:"]);
    equal(offered("status:running,f").list[0].insert, "failed ");
    equal(offered("tag:two").list.map((one) => one.insert), ["\"two words\" ", "\"two words=x y\" "]);
  },
};
