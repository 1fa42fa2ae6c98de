// The columns of the table: those that every run has, one for each tag and parameter, and for each series its last, best, least and greatest value.
import { html } from "../../vendor/preact.js";
import * as format from "../../core/format.js";
import { Ago, AtStep, Duration, Findings, Lost, MachineOf, Name, NoteOf, StatusOf, Steps } from "./cells.js";
import { own, parameterOf, stats, statuses, valueOf } from "./fields.js";
import { Losses } from "./losses.js";
import { Tags } from "./tags.js";
import { atStep } from "./atstep.js";

const narrow = matchMedia("(max-width: 600px)").matches;
// On a phone what one looks for comes first.
export const usual = narrow
  ? ["name", "findings", "losses", "status", "started", "duration", "steps", "lost", "machine", "tags"]
  : ["name", "status", "started", "duration", "steps", "losses", "findings", "lost", "machine", "tags"];

const statWords = { last: "last", best: "best", min: "lowest", max: "highest" };
const seconds = (text) => (text ? Date.parse(text) / 1000 : null);
const sum = (row) => (row.findings?.error ?? 0) * 1e6 + (row.findings?.warning ?? 0) * 1e3 + (row.findings?.info ?? 0);
const day = (text) => (text ? format.time(text).slice(0, 10) : "");
const text = (value) => (value ? html`<span class="said" title=${value}>${value}</span>` : "");

// needs: the columns of the server that a column needs besides those that every row has.
const every = [
  { id: "name", title: "Name", width: narrow ? 140 : 220, pin: true, fixed: true, value: (row) => row.name, cell: (row) => html`<${Name} row=${row} />` },
  { id: "status", title: "Status", width: 118, value: (row) => row.status, order: (row) => statuses.indexOf(row.status), cell: (row) => html`<${StatusOf} row=${row} />` },
  { id: "started", title: "Started", width: 104, number: true, value: (row) => day(row.started), order: (row) => seconds(row.started), cell: (row) => html`<${Ago} at=${row.started} />` },
  { id: "ended", needs: ["ended"], title: "Ended", width: 110, number: true, value: (row) => day(row.ended), order: (row) => seconds(row.ended), cell: (row) => html`<${Ago} at=${row.ended} />` },
  { id: "duration", needs: ["duration"], title: "Duration", width: 100, number: true, value: (row) => row.duration, cell: (row) => html`<${Duration} row=${row} />` },
  { id: "steps", title: "Steps", width: 104, number: true, value: (row) => row.progress?.step ?? null, cell: (row) => html`<${Steps} row=${row} />` },
  { id: "progress", title: "Progress", width: 96, number: true, value: (row) => row.progress?.fraction ?? null, cell: (row) => format.percent(row.progress?.fraction) },
  { id: "losses", needs: ["loss", "losses"], title: "Last loss", width: 226, number: true, less: true, hint: "The course of the loss, and its last value: of the evaluation where there is one. TRAIN and EVAL have lines of their own.", value: (row) => row.loss ?? null, cell: (row) => html`<${Losses} row=${row} />` },
  { id: "findings", needs: ["found", "roots", "symptoms"], title: "Findings", width: 110, number: true, group: "Findings", hint: "Root causes: errors, warnings and info; + what follows from them. Click for their names.", value: (row) => format.count((row.findings?.error ?? 0) + (row.findings?.warning ?? 0) + (row.findings?.info ?? 0)), order: sum, cell: (row) => html`<${Findings} row=${row} />` },
  { id: "found", needs: ["found"], title: "Findings by name", width: 220, group: "Findings", value: (row) => [...new Set((row.found ?? []).map((one) => one.rule))].join(", "), cell: (row) => text([...new Set((row.found ?? []).map((one) => one.rule))].join(", ")) },
  { id: "roots", needs: ["found"], title: "Root causes", width: 220, group: "Findings", hint: "Findings that follow from no other one", value: (row) => [...new Set((row.found ?? []).filter((one) => one.root).map((one) => one.rule))].join(", "), cell: (row) => text([...new Set((row.found ?? []).filter((one) => one.root).map((one) => `${one.rule}/${one.check}`))].join(", ")) },
  { id: "lost", needs: ["lost_share"], title: "Time lost", width: 92, number: true, hint: "Share of the time of the steps in which nothing was computed: waiting for data and other ranks, copies to the device, checkpoints", value: (row) => row.lost_share, cell: (row) => html`<${Lost} row=${row} />` },
  { id: "overhead", needs: ["overhead_percent"], title: "Cost of capture", width: 120, number: true, hint: "What capture adds to a step in steady state; empty where too few steps were seen", value: (row) => row.overhead_percent, cell: (row) => (typeof row.overhead_percent === "number" ? format.percent(row.overhead_percent / 100) : "") },
  { id: "machine", needs: ["host", "machine"], title: "Machine", width: 140, value: (row) => row.host, cell: (row) => html`<${MachineOf} row=${row} />` },
  { id: "gpus", needs: ["machine"], title: "GPUs", width: 160, value: (row) => (row.machine?.gpus ?? []).join(", "), cell: (row) => text((row.machine?.gpus ?? []).join(", ")) },
  { id: "user", needs: ["user"], title: "User", width: 100, value: (row) => row.user ?? "", cell: (row) => text(row.user) },
  { id: "framework", needs: ["framework"], title: "Framework", width: 130, value: (row) => `${row.framework?.name ?? ""} ${row.framework?.version ?? ""}`.trim(), cell: (row) => text(`${row.framework?.name ?? ""} ${row.framework?.version ?? ""}`.trim()) },
  { id: "tags", title: "Tags", width: 220, class: "edit", hint: "Double-click, or press e, to change them", value: (row) => Object.entries(row.tags ?? {}).map(([key, value]) => `${key}=${value}`).join(" "), cell: (row) => html`<${Tags} row=${row} />` },
  { id: "note", title: "Note", width: 220, value: (row) => row.note ?? "", cell: (row) => html`<${NoteOf} row=${row} />` },
];

// amount is a tag or a parameter as it is sorted: a number where it is one.
const amount = (value) => (value === undefined ? null : value !== "" && Number.isFinite(Number(value)) ? Number(value) : value);

const titled = (id, group) => ({ id, group, title: id.slice(id.indexOf(".") + 1) });

// columnOf makes a column of its id; null where there is none of that name. An id that names a tag, a parameter or a series makes a column even
// where no run has it (yet), so that an address or a view keeps its columns.
export function columnOf(id) {
  const known = every.find((column) => column.id === id);
  if (known) return { group: "Run", ...known };
  const [kind, name] = [id.slice(0, id.indexOf(".")), id.slice(id.indexOf(".") + 1)];
  if (!name) return null;
  if (kind === "tag") return { ...titled(id, "Tags"), title: name, hint: `Tag ${name}`, width: 120, value: (row) => own(row.tags, name) ?? "", order: (row) => amount(own(row.tags, name)), cell: (row) => text(own(row.tags, name)) };
  if (kind === "param") return { ...titled(id, "Parameters"), needs: [id], title: name, hint: `Parameter ${name}`, width: 120, value: (row) => parameterOf(row, name) ?? "", order: (row) => amount(parameterOf(row, name)), cell: (row) => text(parameterOf(row, name)) };
  if (Object.hasOwn(statWords, kind)) {
    const title = kind === "last" ? name : `${name}, ${statWords[kind]}`;
    return { id, needs: [id], title, group: `Values: ${statWords[kind]}`, number: true, width: Math.max(96, Math.min(200, 24 + title.length * 7)), hint: `${name}: its ${statWords[kind]} value`, value: (row) => valueOf(row, name, kind), cell: (row) => value(valueOf(row, name, kind)) };
  }
  if (kind === "at") return atColumn(id, name);
  return null;
}

const value = (number) => (number === null || number === undefined ? "" : format.number(number));

// atColumn is the value of a series at a step: at.STEP.NAME.
function atColumn(id, rest) {
  const found = /^(\d+)\.(.+)$/s.exec(rest);
  if (!found) return null;
  const [step, name] = [Number(found[1]), found[2]];
  return { id, title: `${name} at ${format.count(step)}`, group: "Values at a step", number: true, width: 130, hint: `${name} at step ${format.count(step)}, or the last value before it`, value: (row) => atStep(row, name, step), cell: (row) => html`<${AtStep} row=${row} name=${name} step=${step} />` };
}

// ordered is a column with how its values are sorted: those of which less is better from the smallest.
export function ordered(column, { less }) {
  const found = /^(?:last|best|min|max|at\.\d+)\.(.+)$/s.exec(column.id);
  return found && less.has(found[1]) ? { ...column, less: true } : column;
}

// bestIs says which value of a column is the best, "less" or "more"; "" where that is not defined.
function bestIs(id, less) {
  const [, stat, name] = /^(last|best|min)\.(.+)$/s.exec(id) ?? [];
  if (id === "losses" || (name && less.has(name))) return "less";
  return stat === "best" ? "more" : "";
}

// marked are columns, of which those that the list is sorted by mark the best value of its runs, where that is defined. Runs with
// an error finding are not to be trusted. Whoever does not sort by a number has not asked which is best: the runs may be of several trainings.
export function marked(columns, rows, { less }, sort) {
  return columns.map((column) => {
    const is = sort.some(({ id }) => id === column.id) ? bestIs(column.id, less) : "";
    const values = is ? rows.filter((row) => !row.findings?.error).map(column.value).filter(Number.isFinite) : [];
    if (values.length < 2) return column;
    const best = is === "less" ? Math.min(...values) : Math.max(...values);
    const title = `The ${is === "less" ? "least" : "greatest"} of these runs; those with an error finding do not count`;
    return { ...column, cell: (row) => (!row.findings?.error && column.value(row) === best ? html`<span class="runs-best" title=${title}><span class="best-mark">best</span>${column.cell(row)}</span>` : column.cell(row)) };
  });
}

// needsOfColumns are what columns, or fields that are called as they are, need.
export const needsOfColumns = (ids) => ids.flatMap((id) => columnOf(id)?.needs ?? []);

// available are all columns that there are for these runs, and those that are shown.
export function available(names, shown) {
  const list = every.map((column) => ({ group: "Run", ...column }));
  for (const tag of names.tags) list.push(columnOf(`tag.${tag}`));
  for (const parameter of names.parameters) list.push(columnOf(`param.${parameter}`));
  for (const stat of stats) for (const series of names.values) list.push(columnOf(`${stat}.${series}`));
  const there = new Set(list.map((column) => column.id));
  for (const id of shown) if (!there.has(id)) list.push(columnOf(id));
  return list.filter(Boolean);
}
