// The parts of the page Runs that need no page.
import { equal } from "./check.js";
import { parse, spell, styler } from "../app/core/runstyle.js";
import { available, columnOf, usual } from "../app/pages/runs/columns.js";
import { namesOf, sameNames } from "../app/pages/runs/names.js";
import { suggest } from "../app/pages/runs/suggest.js";
import { read } from "../app/pages/runs/tags.js";
import { textOf } from "../app/pages/runs/looks.js";
import { compare, sorted } from "../app/parts/table/order.js";

const rows = [
  { name: "run-10", status: "running", started: "2026-11-26T10:00:00Z", tags: { lr: "0.1", "two words": "x y" }, parameters: { lr: "0.1", model: "vit" }, values: { loss: { last: 0.5, min: 0.4, max: 2, best: 0.4 } }, found: [{ rule: "dead_relu", check: "dead", severity: "error" }], findings: { error: 1 }, host: "node-1", progress: { step: 5, of: 10, fraction: 0.5 } },
  { name: "run-2", status: "completed", started: "2026-11-25T10:00:00Z", tags: {}, parameters: { lr: "1e-3", model: "lstm" }, values: { loss: { last: "NaN", min: 0.3, max: 2, best: 0.3 }, accuracy: { last: 1, min: 0, max: 1 } }, found: [], findings: {}, host: "node-2", progress: null },
  { name: "run-1", status: "failed", started: "2026-11-24T10:00:00Z", tags: { lr: "0.02" }, parameters: {}, values: {}, found: [], findings: { warning: 2 }, host: "node-1" },
];
const names = namesOf(rows);
const order = (id, down = false) => sorted(rows, [columnOf(id)], [{ id, down }]).map((row) => row.name);

export const tests = {
  "tags are read as they are written"() {
    for (const [text, want] of [
      ["", {}], ["a=1 b=2", { a: "1", b: "2" }], ["flag", { flag: "true" }], ["a=", { a: "" }], ["a=b=c", { a: "b=c" }], ["\"k=two words\"", { k: "two words" }], ["k=\"two words\" b=1", { k: "two words", b: "1" }],
      ["  a=1\tb=2 ", { a: "1", b: "2" }], ["=x", {}], ["\"k=say \\\"hi\\\"\"", { k: "say \"hi\"" }], ["a=<b>", { a: "<b>" }],
    ]) equal(read(text), want, `tags of ${text}`);
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
    equal(sameNames(names, namesOf([...rows])), true);
    equal(sameNames(names, namesOf(rows.slice(1))), false);
    equal(sameNames(null, names), false);
    // Names that every object has are names like others.
    const odd = { name: "odd", tags: { constructor: "x" }, parameters: {}, values: {} };
    equal([...namesOf([odd]).tags], ["constructor"]);
    equal([columnOf("tag.constructor").value(odd), columnOf("param.constructor").value(odd), columnOf("last.constructor").value(odd), columnOf("tag.toString").value(odd)], ["x", "", null, ""]);
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
