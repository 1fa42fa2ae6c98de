// The table of the ranking: each run with its value, its findings, and what it differs in.
import { html } from "../../vendor/preact.js";
import * as format from "../../core/format.js";
import { route } from "../../core/router.js";
import { Severity } from "../../parts/severity.js";
import { notGiven } from "./scales.js";

const numeric = (text) => (text !== null && text !== "" && Number.isFinite(Number(text)) ? Number(text) : text);

const found = (row) => {
  const [of, list] = row.distrust.length ? ["error", row.distrust] : ["warning", row.warnings];
  return list.length ? html`<a href=${route.to(row.name, "findings")} title=${of === "error" ? "An error finding: the value is not to be trusted" : list.join(", ")}><${Severity} of=${of} text=${list[0]} plain /></a>` : "";
};

// On a phone the value is next to the name, and what is pinned leaves room for it.
const narrow = matchMedia("(max-width: 600px)").matches;

export function columnsOf(answer) {
  return [
    { id: "rank", title: "Rank", width: narrow ? 64 : 84, number: true, hint: "Among the runs without an error finding", value: (row) => row.rank || null, order: (row) => (row.rank || null), cell: (row) => (row.best ? html`<strong class="best-mark">1 best</strong>` : row.rank || "") },
    { id: "name", title: "Name", width: narrow ? 140 : 200, pin: true, fixed: true, value: (row) => row.name, cell: (row) => html`<a class="said" href=${route.to(row.name)}>${row.name}</a>${row.running ? html` <span class="tag">running</span>` : ""}` },
    { id: "value", title: `${answer.metric} (${answer.stat})`, width: 150, number: true, value: (row) => (Number.isFinite(row.value) ? row.value : null), cell: (row) => (Number.isFinite(row.value) ? html`<span class=${row.distrust.length ? "quiet" : ""} title=${row.step >= 0 ? `At ${answer.mode === "EVAL" ? "evaluation " : ""}step ${format.count(row.step)}` : null}>${format.number(row.value)}</span>` : "\u2013") },
    ...(answer.runs.some((run) => run.distrust.length || run.warnings?.length) ? [{ id: "findings", title: "Findings", width: 170, hint: "With an error the value is not to be trusted", value: (row) => [...row.distrust, ...row.warnings].join(", "), cell: found }] : []),
    ...answer.parameters.map((one) => ({ id: `param.${one.name}`, title: one.name, width: 130, number: one.numbers, hint: one.also.length ? `The same values: ${one.also.join(", ")}` : undefined, value: (row) => (one.numbers ? numeric(row.of[one.name]) : row.of[one.name]), cell: (row) => (row.of[one.name] == null ? html`<span class="quiet">${notGiven}</span>` : html`<span class="said" title=${row.of[one.name]}>${row.of[one.name]}</span>`) })),
  ];
}
