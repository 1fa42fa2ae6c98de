// What the search offers at the cursor: names of fields, tags, parameters and values, and after a colon the values that there are.
import { ownFields, statuses } from "./fields.js";

const about = {
  name: "part of the name", status: "running, failed, ...", tag: "KEY or KEY=VALUE", note: "part of the note", finding: "rule, rule/check or severity", root: "a finding that follows from no other", findings: "how many", errors: "how many", warnings: "how many", notes: "how many",
  started: "7d (ago) or a date", ended: "1h (ago) or a date", duration: "90s, 5min, 2h", steps: "how many", progress: "50%", lost: "share of the time lost: 20%", overhead: "cost of capture: 5%", host: "part of its name", user: "who", gpu: "part of its name", gpus: "how many", cpus: "how many", framework: "pytorch, ...", damaged: "yes or no", archived: "yes or no",
};
const most = 8;

// suggest gives {from, to, list: [{insert, label, hint}]} for a text and the place of the cursor in it.
export function suggest(text, caret, { rows, names }) {
  const head = text.slice(0, caret);
  const word = /(?:^|[\s(])-?((?:"[^"]*"?|[^\s()"])*)$/.exec(head)?.[1] ?? "";
  const rest = /^[^\s()]*/.exec(text.slice(caret))[0].length;
  const colon = /^("?)([a-z]+)\1([:=])(.*)$/is.exec(word);
  const name = colon?.[2].toLowerCase();
  if (colon && Object.hasOwn(values, name)) {
    const typed = colon[4].split(",").at(-1).replace(/^"/, "").toLowerCase();
    const from = caret - colon[4].split(",").at(-1).length;
    const all = [...new Set(values[name](rows, names))].filter(Boolean);
    return { from, to: caret + rest, list: best(all, typed, (one) => one).filter((one) => one.toLowerCase() !== typed).map((one) => ({ insert: `${quoted(one)} `, label: one, hint: "" })) };
  }
  if (word === "" || colon || /[:=<>]/.test(word)) return { from: caret, to: caret, list: [] };
  const typed = word.replace(/"/g, "").toLowerCase();
  const fields = ownFields.map(({ name, type }) => ({ label: name, insert: name + (type === "text" || type === "choice" || type === "tags" ? ":" : ""), hint: about[name] ?? "" }));
  const others = (set, hint, end) => [...set].filter((one) => !fields.some((field) => field.label === one)).map((one) => ({ label: one, insert: quoted(one) + end, hint }));
  const all = [...fields, ...others(names.values, "value", "<"), ...others(names.parameters, "parameter", "="), ...[...names.tags].map((tag) => ({ label: `tag:${tag}`, insert: `tag:${quoted(tag)} `, hint: "tag" }))];
  const seen = new Set();
  const list = best(all, typed, (one) => one.label).filter((one) => !seen.has(one.label) && seen.add(one.label) && one.label !== typed);
  return { from: caret - word.length, to: caret + rest, list };
}

const values = {
  status: () => statuses,
  tag: (rows, names) => [...names.tags].flatMap((tag) => [tag, ...new Set(rows.slice(0, 500).map((row) => row.tags?.[tag]).filter(Boolean).map((value) => `${tag}=${value}`))]),
  finding: (rows) => rows.flatMap((row) => (row.found ?? []).map((one) => one.rule)),
  root: (rows) => rows.flatMap((row) => (row.found ?? []).filter((one) => one.root).map((one) => one.rule)),
  host: (rows) => rows.map((row) => row.host),
  user: (rows) => rows.map((row) => row.user),
  gpu: (rows) => rows.flatMap((row) => row.machine?.gpus ?? []),
  framework: (rows) => rows.map((row) => row.framework?.name),
  damaged: () => ["yes", "no"],
  archived: () => ["yes", "no"],
};

const quoted = (text) => (/[\s"(),]/.test(text) ? `"${text.replace(/"/g, "\\\"")}"` : text);

// best are those that begin with what was typed, then those that hold it.
function best(list, typed, text) {
  const found = list.map((one) => ({ one, at: text(one).toLowerCase().indexOf(typed) })).filter(({ at }) => at >= 0);
  return found.sort((a, b) => (a.at > 0) - (b.at > 0)).slice(0, most).map(({ one }) => one);
}
