// Tests of the modules, run by unit_test.go in a browser. Each row is a call and what it gives.
import "./complaints.js";
import { decode } from "../core/columns.js";
import * as format from "../core/format.js";
import { matcher, ranked } from "../core/match.js";
import { scaler } from "../core/ramp.js";
import { plain } from "../parts/code.js";
import { drawn, summaries } from "../parts/chart/summary.js";
import { after, at, extent, nearest, roomy, span } from "../parts/chart/values.js";
import { found, kind, place, prepare } from "../parts/flame/tree.js";
import { grouped, sorted } from "../parts/table/order.js";
import { nested } from "../parts/tree.js";
import { parts } from "./parts.js";

const failures = window.complaints;
const write = (value) => JSON.stringify(value, (_, one) => (typeof one === "number" && !Number.isFinite(one) ? String(one) : ArrayBuffer.isView(one) ? [...one] : one));

function table(name, call, rows) {
  for (const [given, wanted] of rows) {
    const got = call(...given);
    if (write(got) !== write(wanted)) failures.push(`${name}(${given.map(write).join(", ")}) = ${write(got)}, not ${write(wanted)}`);
  }
}

table("number", format.number, [
  [[0.42134], "0.4213"], [[1234567], "1,234,567"], [[12345.678], "12,346"], [[3.2e-7], "3.2e\u22127"], [[-0.5], "\u22120.5"], [[0], "0"], [[2.5e12], "2.5e12"],
  [[NaN], "NaN"], [[-Infinity], "\u2212Inf"], [["Inf"], "Inf"], [[null], "\u2013"], [[undefined], "\u2013"], [[100], "100"], [[0.1 + 0.2], "0.3"],
  [[1.2e-10], "1.2e\u221210"], [[-1.139e-10], "\u22121.139e\u221210"], [[1e-10], "1e\u221210"], [[1.5e20], "1.5e20"], [[2e30], "2e30"],
]);
table("compact", format.compact, [[[950], "950"], [[12345], "12.3 k"], [[999999], "1 M"], [[1.2e6], "1.2 M"], [[-4e9], "\u22124 G"]]);
table("bytes", format.bytes, [[[0], "0 B"], [[512], "512 B"], [[3.4e6], "3.4 MB"], [[15.6e9], "15.6 GB"]]);
table("duration", format.duration, [
  [[0], "0 s"], [[0.00042], "420 \u00b5s"], [[0.85], "850 ms"], [[4.2], "4.2 s"], [[59.99], "1 min"], [[192], "3 min 12 s"], [[7500], "2 h 05 min"], [[3600], "1 h"], [[273600], "3 d 4 h"], [[-2], "\u22122 s"], [[NaN], "\u2013"],
]);
table("percent", format.percent, [[[0], "0 %"], [[0.0004], "0.04 %"], [[0.034], "3.4 %"], [[0.42], "42 %"], [[1], "100 %"]]);
table("ago", format.ago, [[["2026-11-26T08:00:00Z", Date.parse("2026-11-26T08:00:05Z")], "just now"], [["2026-11-26T08:00:00Z", Date.parse("2026-11-26T08:03:20Z")], "3 min ago"], [["2026-11-26T08:00:00Z", Date.parse("2026-11-28T09:00:00Z")], "2 d ago"], [["", 0], "\u2013"]]);
table("withUnit", format.withUnit, [[[2e9, "bytes"], "2 GB"], [[0.5, "s"], "500 ms"], [[38.2, "percent"], "38.2 %"], [[3, "ops"], "3 ops"], [["NaN", "s"], "NaN"]]);

table("matcher", (query, text) => matcher(query)(text), [[["", "a"], true], [["conv WEI", "conv1.weight"], true], [["conv bias", "conv1.weight"], false], [["/^conv\\d/", "conv1"], true], [["/(/", "("], false]]);
table("ranked", ranked, [[["loss", ["val_loss", "loss", "glossy"]], ["loss", "val_loss", "glossy"]], [["", ["b", "a"]], ["b", "a"]]]);

const rows = [{ n: "run-10", v: 3 }, { n: "run-2", v: NaN }, { n: "Run-3", v: 1 }, { n: "", v: 2 }];
const columns = [{ id: "n", value: (row) => row.n }, { id: "v", value: (row) => row.v }];
table("sorted", (sort) => sorted(rows, columns, sort).map((row) => row.n), [
  [[[]], ["run-10", "run-2", "Run-3", ""]], [[[{ id: "n" }]], ["run-2", "Run-3", "run-10", ""]], [[[{ id: "v", down: true }]], ["run-10", "", "Run-3", "run-2"]], [[[{ id: "v" }]], ["Run-3", "", "run-10", "run-2"]],
]);
table("grouped", (closed) => grouped([{ k: "a", i: 1 }, { k: "b", i: 2 }, { k: "a", i: 3 }], { value: (row) => row.k }, new Set(closed)).map((one) => one.i ?? `${one.group}:${one.rows.length}`), [[[[]], ["a:2", 1, 3, "b:1", 2]], [[["a"]], ["a:2", "b:1", 2]]]);

table("after", after, [[[[1, 3, 5], 0], 0], [[[1, 3, 5], 3], 1], [[[1, 3, 5], 4], 2], [[[1, 3, 5], 9], 3]]);
table("nearest", nearest, [[[[], 1], -1], [[[1, 3, 5], 3.9], 1], [[[1, 3, 5], 4.1], 2], [[[1, 3, 5], 99], 2]]);
const one = { label: "loss", x: [0, 10, 20, 30], xLast: [9, 19, 29, 39], y: [4, 2, NaN, 1], min: [3, 1, NaN, 0], max: [5, 9, NaN, 2], points: 40, raw: false };
table("at", at, [[[one, 4], 0], [[one, 9.4], 0], [[one, 9.6], 1], [[{ x: [0, 10], y: [1, 2] }, 6], 1]]);
table("span", span, [[[[one]], [0, 39]], [[[{ x: [] }]], null], [[[{ x: [5, 6], kind: "bars" }]], [5, 7]]]);
table("extent", extent, [[[[one], [0, 39]], [0, 9]], [[[one], [0, 39], { positive: true }], [1, 9]], [[[{ x: [], y: [] }], [0, 1]], null]]);
table("roomy", roomy, [[[[0, 10]], [0, 10.5]], [[[5, 5]], [4.5, 5.5]], [[[-10, 0]], [-10.5, 0]]]);
const falling = Array.from({ length: 100 }, (_, i) => (i < 40 ? 2.4 - i * 0.05 : 0.4));
table("summaries", summaries, [
  [[[{ label: "loss", x: falling.map((_, i) => i * 10), y: falling }], "step", null], "Falls from 2.38 to 0.4, flat since step 370, lowest 0.4, highest 2.4."],
  [[[{ x: [0, 1, 2], y: [1, 1, 1] }], "step", null], "Stays at 1."], [[[{ x: [0], y: [NaN] }], "step", null], "Has no finite value."], [[[{ x: [], y: [] }], "step", null], "Has no values here."],
  [[[{ x: [0, 1, 2], y: [1, NaN, 3], odd: [0, 1, 0] }], "step", null], "Rises from 1 to 3, lowest 1, highest 3, 1 place with values that are not finite."],
]);
table("drawn", drawn, [[[[one]], "40 points, minimum and maximum of 4 columns"], [[[{ x: [1], y: [1] }]], "1 point"], [[[{ ...one, points: 1.2e6 }]], "1.2 M points, minimum and maximum of 4 columns"]]);

const flame = prepare({ roots: [{ name: "main", total: 10, self: 1, file: "train.py", children: [{ name: "load", total: 6, self: 6, file: "" }, { name: "step", total: 3, self: 3, file: "/x/site-packages/torch/a.py" }] }] });
table("place", (zoom) => place(flame, zoom, 0.01).map((one) => [flame.name[one.i], one.from, one.to, one.level]), [[[-1], [["main", 0, 1, 0], ["load", 0, 0.6, 1], ["step", 0.6, 0.8999999999999999, 1]]], [[1], [["main", 0, 1, 0], ["load", 0, 1, 1]]]]);
table("kind", (i) => kind(flame, i), [[[0], "own"], [[1], "compiled"], [[2], "library"]]);
table("found", (matches) => found(flame, matches), [[[[false, true, false]], 0.6], [[[true, true, false]], 1]]);
table("nested", (names) => nested(names, (name) => name).map((node) => [node.label, node.children?.length ?? 0]), [[[["a.b.c", "a.b.d", "e.f"]], [["a.b", 2], ["e.f", 0]]]]);
table("scaler", (value, log) => scaler([1, 100], log)(value), [[[1, false], 0], [[100, false], 255], [[10, true], 128], [[0, true], 0], [[null, true], -1], [[NaN, true], -1], [["NaN", true], -2], [[Infinity, true], -2]]);
table("plain", plain, [[["\u001b[31mred\u001b[0m\n 1%\r 2%\rdone\n<b>"], "red\ndone\n<b>"], [["a\r\nb\u0007"], "a\nb"]]);

// The binary form: a header and two columns, one of 64-bit integers.
const header = new TextEncoder().encode(JSON.stringify({ format: 1, series: [{ x: { column: 0 }, mean: { column: 1 } }], columns: [{ type: "i64", length: 2, offset: 0 }, { type: "f64", length: 2, offset: 16 }] }));
const start = Math.ceil((12 + header.length) / 8) * 8;
const bytes = new ArrayBuffer(start + 32);
new Uint8Array(bytes).set(new TextEncoder().encode("VIGILCO1"));
new DataView(bytes).setUint32(8, header.length, true);
new Uint8Array(bytes).set(header, 12);
new BigInt64Array(bytes, start).set([7n, 9007199254740991n]);
new Float64Array(bytes, start + 16).set([0.5, NaN]);
table("decode", () => decode(bytes), [[[], { format: 1, series: [{ x: [7, 9007199254740991], mean: [0.5, "NaN"] }] }]]);

await parts(document.getElementById("app"), (what, good) => good || failures.push(what)).catch((error) => failures.push(`parts: ${error.stack}`));
window.ready = true;
