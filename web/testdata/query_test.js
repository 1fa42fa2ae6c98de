// The language of the search in the list of runs, as a table.
import { equal } from "./check.js";
import { query } from "../app/core/query.js";
import { amount } from "../app/core/query/amount.js";
import { nearest } from "../app/core/query/nearest.js";
import { fields } from "../app/pages/runs/fields.js";

const hour = 3600e3;
const at = (ago) => new Date(Date.now() - ago).toISOString();
const value = (last, min, max, best) => ({ last, min, max, best, mode: "TRAIN" });
const runs = [
  { name: "resnet-1", title: "", status: "running", started: at(hour), ended: null, duration: 3600, progress: { step: 100, of: 400, fraction: 0.25 }, findings: { error: 1, warning: 0, info: 2 },
    found: [{ rule: "dead_relu", check: "dead", former: ["gone"], severity: "error", root: true }, { rule: "slow_training", check: "data", severity: "info" }], tags: { baseline: "", lr: "0.1", owner: "Ada Lovelace" }, note: "The first try",
    host: "node-1", user: "ada", machine: { cpus: 8, gpus: ["NVIDIA H100"] }, framework: { name: "pytorch", version: "2.15" }, lost_share: 0.4, parameters: { lr: "0.1", "optimiser lr": "0.1", arch: "resnet18" },
    values: { loss: value(0.7, 0.5, 2.3, 0.5), "val/accuracy": value(0.6, 0.1, 0.62, 0.62) }, damaged: "", archived: false },
  { name: "resnet-2", title: "", status: "completed", started: at(50 * hour), ended: at(49 * hour), duration: 3700, progress: { step: 400, of: 400, fraction: 1 }, findings: { error: 0, warning: 0, info: 0 },
    found: [], tags: { lr: "0.01" }, note: "", host: "node-2", user: "bob", machine: { cpus: 16, gpus: [] }, framework: { name: "pytorch", version: "2.15" }, lost_share: null, parameters: { lr: "1e-2", arch: "resnet50" },
    values: { loss: value(0.3, 0.2, 2.2, 0.2), "loss (EVAL)": value(0.4, 0.35, 2, 0.35) }, damaged: "", archived: true },
  { name: "vit or not", title: "", status: "failed", started: at(24 * 30 * hour), ended: at(24 * 30 * hour - 60e3), duration: 60, progress: null, findings: { error: 0, warning: 3, info: 0 },
    found: [{ rule: "overfit", check: "gap", severity: "warning", root: true }], tags: {}, note: "says <b>loss</b>", host: "node-1", user: "ada", machine: { cpus: 8, gpus: ["A", "B"] }, framework: { name: "jax", version: "1" }, lost_share: 0.05, parameters: {},
    values: { loss: value("NaN", 1, 2, 1), temperature: value(5, 0, 9, undefined) }, damaged: "run.json: cut off", archived: false },
];
// Rows have values and parameters by column.
for (const row of runs) {
  const values = Object.entries(row.values).flatMap(([name, of]) => Object.entries(of).filter(([, value]) => value !== undefined).map(([stat, value]) => [`${stat}.${name}`, Number(value)]));
  row.cells = Object.fromEntries([...values, ...Object.entries(row.parameters).map(([name, value]) => [`param.${name}`, value])]);
}
const names = { tags: new Set(["baseline", "lr", "owner"]), parameters: new Set(["lr", "optimiser lr", "arch"]), values: new Set(["loss", "loss (EVAL)", "val/accuracy", "temperature"]) };
const found = (text) => query(text, fields(names));
const which = (text) => runs.filter(found(text).test).map((run) => runs.indexOf(run) + 1).join("");

const finds = {
  "": "123", "   ": "123",
  // Words are looked for in names, notes and tags.
  resnet: "12", RESNET: "12", "resnet first": "1", "first try": "1", "\"first try\"": "1", "\"try first\"": "", lovelace: "1", "\"<b>\"": "3", "r*2": "123".slice(1, 2), "/^resnet-\\d$/": "12", "/^RES/": "12",
  "name:resnet": "12", "name:resnet-1": "1", "name=resnet-1": "1", "name=resnet": "", "name:/1$/": "1", "name:res*-2": "2", "name:\"vit or not\"": "3", "note:first": "1",
  // Alternatives, negation, parentheses.
  "resnet-1 or vit": "13", "resnet-1 OR vit": "13", "resnet-1 | vit": "13", "\"or\"": "3", "-resnet": "3", "not resnet": "3", "-(resnet-1 or vit)": "2", "resnet (-1 or status:completed)": "12", "resnet and status:running": "1", "not not vit": "3", "-status:running,failed": "2",
  // Fields.
  "status:running": "1", "status:running,failed": "13", "status:Running": "1", "status!=running": "23", "status:run*": "1", "user:ada": "13", "host:node": "123", "host=node-2": "2", "gpu:h100": "1", "gpus=0": "2", "gpus>=2": "3", "cpus:16": "2", "framework:jax": "3", "archived:yes": "2", "damaged:yes": "3",
  "finding:dead_relu": "1", "finding:dead_relu/dead": "1", "finding:error": "1", "finding:dead_relu,overfit": "13", "-finding:dead_relu": "23", "finding:dead": "1", "finding:dea*": "1", "finding:dead_relu/gone": "1", "root:gone": "1", "root:slow_training": "", "finding:slow_training": "1", "errors>0": "1", "warnings>=3": "3", "findings=0": "2", "findings:0": "2",
  "steps>100": "2", "steps>=100": "12", "progress>=25%": "12", "progress<0.5": "1", "lost>20%": "1", "lost<=5%": "3", "-lost>20%": "23",
  "duration>1h": "2", "duration>=1h": "12", "duration<2min": "3", "duration:60": "3", "duration<61.5s": "3",
  "started<7d": "12", "started<2h": "1", "started>7d": "3", "started>7d or started<2h": "13", "ended<7d": "2",
  // Tags.
  "tag:baseline": "1", "tag:lr": "12", "tag:lr=0.1": "1", "tag:lr=0.*": "12", "tag:b*": "1", "-tag:baseline": "23", "tag:owner=\"ada lovelace\"": "1", "tag.lr<0.05": "2", "tag.owner=\"ada lovelace\"": "1",
  // Values and parameters.
  "loss<0.5": "2", "loss>=0.7": "1", "loss:nan": "3", "loss!=nan": "12", "loss.min<0.6": "12", "loss.best=.2": "2", "loss.max>2.25": "1", "\"loss (EVAL)\"<0.5": "2", "\"loss (EVAL).min\"<0.36": "2", "value.loss<5e-1": "2", "val/accuracy>60%": "", "val/accuracy>=60%": "1", "val/accuracy.best>0.61": "1", "temperature.best>0": "", "temperature>1k": "", "temperature=5": "3",
  "lr=0.01": "2", "lr=1e-2": "2", "lr>=0.1": "1", "param.lr:0.1": "1", "\"optimiser lr\"=0.1": "1", "arch=resnet18": "1", "arch:resnet*": "12", "arch!=resnet18": "23", "arch>resnet18": "2", "lr:0.1,0.01": "12", "loss>-1": "12", "loss<1 -resnet-2": "1",
};

const complains = {
  "loos<0.5": [[0, 4, "Unknown field “loos”. Did you mean “loss”?"]],
  "xyzzyx:1": [[0, 6, "Unknown field “xyzzyx”. Fields, tags, parameters and values can be searched."]],
  "loss<abc": [[5, 8, "“abc” is not a number."]],
  "duration>1x": [[9, 11, "“1x” is not a duration, such as 90s, 5min, 2h or 3d."]],
  "started>monday": [[8, 14, "“monday” is not a time, such as 2026-11-20 or 7d (ago)."]],
  "status:runing": [[7, 13, "status is one of running, failed, stopped, lost, ended, completed."]],
  "loss<": [[0, 5, "A value is missing after “loss<”."]],
  "<0.5": [[0, 1, "What is compared stands before “<”, as in loss<0.5."]],
  "(resnet": [[0, 1, "This parenthesis is not closed."]],
  "resnet)": [[6, 7, "This parenthesis was not opened."]],
  "()": [[0, 2, "There is nothing between these parentheses."]],
  "\"abc": [[0, 4, "This quotation mark is not closed."]],
  "name:/(/": [[5, 8, /^This is not a regular expression: /]],
  "or resnet": [[0, 2, /^“or” stands between two terms/]],
  "resnet -": [],
  "resnet not": [[7, 10, "What must not be is missing."]],
  "tag<1": [[4, 5, /^Tags are searched with a colon/]],
  "loss<1,2": [[7, 8, "“<” compares with one value."]],
  "resnet loos<1 lost>x": [[7, 11, /loss/], [19, 20, "“x” is not a share, such as 20%."]],
};

export const tests = {
  "finds what is asked for"() {
    for (const [text, want] of Object.entries(finds)) {
      const { errors } = found(text);
      equal(errors, [], `errors of ${text}`);
      equal(which(text), want, `runs of ${text}`);
    }
  },
  "says where an error is"() {
    for (const [text, want] of Object.entries(complains)) {
      const { errors } = found(text);
      equal(errors.map(({ from, to }) => [from, to]), want.map(([from, to]) => [from, to]), `places in ${text}: ${JSON.stringify(errors)}`);
      want.forEach(([, , message], i) => message instanceof RegExp ? equal(message.test(errors[i].message), true, `${text}: ${errors[i].message}`) : equal(errors[i].message, message, text));
    }
  },
  "a wrong term is left out, the others count"() {
    equal(which("los<0.5 resnet-2"), "2");
    equal(which("(los<0.5 or resnet-2) status:completed"), "2");
    equal(which("los<0.5"), "123");
  },
  "any text is read to its end"() {
    const signs = ["(", ")", "\"", "/", "-", ":", "<", "=", ",", " ", "a", "loss", "or", "not", "\\", "*", "\u202e", "5"];
    let seed = 7;
    for (let i = 0; i < 20000; i++) {
      let text = "";
      for (let n = 0; n < 8; n++) text += signs[(seed = (seed * 1103515245 + 12345) % 2147483648) % signs.length];
      const { errors, test } = found(text);
      runs.map(test);
      for (const { from, to, message } of errors) equal(from >= 0 && to > from && from <= text.length && message.length > 10, true, `${text}: ${from} ${to} ${message}`);
    }
    equal(found("(".repeat(5000)).errors.length > 0, true);
  },
  "numbers with units"() {
    for (const [text, type, want] of [["0.5", "number", 0.5], ["1e-3", "number", 1e-3], [".5", "number", 0.5], ["5k", "number", 5000], ["20%", "share", 0.2], ["2h", "duration", 7200], ["90", "duration", 90], ["1.5min", "duration", 90], ["2h", "number", null], ["", "number", null], ["nan", "number", NaN], ["-inf", "number", -Infinity], ["5 k", "number", 5000], ["0x10", "number", null]]) {
      equal(amount(text, type), want, `${text} as ${type}`);
    }
    equal(amount("7d", "time"), { age: 7 * 86400 });
    equal(amount("2026-11-20", "time").span[1] - amount("2026-11-20", "time").span[0] > 82000, true);
    equal(amount("2026-13-20", "time"), null);
    equal(amount("2026-11-20T10:30", "time").span[1] - amount("2026-11-20T10:30", "time").span[0], 60);
  },
  "the nearest name"() {
    equal(nearest("lsos", ["loss", "lost"]), "loss");
    equal(nearest("tga", ["tag", "lr"]), "tag");
    equal(nearest("something", ["loss"]), "");
  },
};
