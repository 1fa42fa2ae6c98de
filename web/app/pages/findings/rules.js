// All rules of the catalogue as the run stands to them: those that judge it, what each saw, and how the others are added.
import { html, useMemo } from "../../vendor/preact.js";
import { several, time } from "../../core/format.js";
import { matcher } from "../../core/match.js";
import { Empty } from "../../parts/empty.js";
import { Search } from "../../parts/search.js";
import { Severity } from "../../parts/severity.js";
import { Table } from "../../parts/table.js";
import { Choice } from "../../parts/tabs.js";

// stands are how a rule may stand, in the order of their weight.
export const stands = [["found", "Found something"], ["error", "Could not judge"], ["quiet", "Quiet"], ["not judged", "Nothing to judge"], ["", "Not active"]];
const tones = { found: "warning", error: "error", quiet: "ok", "not judged": "idle", "": "idle" };

// Stand says how a rule stands to the run; text: in other words.
export function Stand({ rule, text: own }) {
  const kind = rule.stand === "found" ? (rule.severity in { error: 1, warning: 1, info: 1 } ? rule.severity : "warning") : tones[rule.stand] ?? "idle";
  const text = stands.find(([id]) => id === rule.stand)?.[1] ?? rule.stand;
  return html`<${Severity} of=${kind} text=${own ?? (rule.stand === "found" ? several(rule.counters.findings, "finding") : text)} plain />`;
}

export function RuleTable({ run, route, data }) {
  const q = route.get("q");
  const stand = route.get("stand", "active");
  const rows = useMemo(() => {
    const fits = matcher(q);
    return data.rules.filter((one) => (stand === "all" || (stand === "active" ? one.active : stand === "inactive" ? !one.active : one.stand === stand)) && (!q || fits(`${one.rule} ${one.rule_class} ${one.configuration} ${one.family} ${one.summary} ${one.stand_text}`)));
  }, [data, q, stand]);
  const counts = useMemo(() => {
    const n = { all: data.rules.length, active: 0, inactive: 0 };
    for (const one of data.rules) n[one.active ? "active" : "inactive"]++;
    for (const [id] of stands) n[id] = data.rules.filter((one) => one.active && one.stand === id).length;
    return n;
  }, [data]);
  const options = [["active", "Active"], ["found", "Found something"], ["quiet", "Quiet"], ["not judged", "Nothing to judge"], ["error", "Could not judge"], ["inactive", "Not active"], ["all", "All"]].filter(([id]) => counts[id] > 0 || id === stand);
  const columns = useMemo(() => [
    { id: "rule", title: "Rule", value: (one) => one.configuration, width: 200, pin: true, cell: (one) => html`<a class="said" href=${route.to(run.name, "findings", {}, "rule", one.configuration)}>${one.configuration}</a>` },
    { id: "stand", title: "Status", value: (one) => stands.findIndex(([id]) => id === one.stand), width: 170, cell: (one) => html`<${Stand} rule=${one} />` },
    { id: "summary", title: "Looks for", value: (one) => one.summary, width: 330, cell: (one) => html`<span class="one-line" title=${one.summary}>${one.summary}</span>` },
    { id: "saw", title: "What it saw", value: (one) => one.stand_text, width: 250, cell: (one) => html`<span class="one-line quiet" title=${one.stand_text}>${one.stand_text}</span>` },
    { id: "first", title: "First finding", value: (one) => one.first?.step ?? "", width: 170, cell: (one) => one.first && html`<a href=${route.to(run.name, "findings", { id: one.first.id, by: "each" })} title=${time(one.first.time)}>${one.first.clock}</a>` },
    { id: "severity", title: "Severity", value: (one) => ["error", "warning", "info"].indexOf(one.severity), width: 90, cell: (one) => html`<span class="quiet">${one.severity}</span>` },
  ], [run.name]);
  return html`<div class="stack">
    <p class="quiet">${data.text}</p>
    <div class="line filters">
      <${Search} label="Search rules" value=${q} onChange=${(value) => route.set({ q: value })} count=${`${rows.length} of ${data.rules.length}`} where="Rules" />
      <${Choice} label="Which rules" value=${stand} onChange=${(value) => route.set({ stand: value === "active" ? "" : value })} options=${options.map(([id, title]) => [id, html`${title} <span class="n">${counts[id]}</span>`])} />
    </div>
    ${rows.length === 0 ? html`<div class="card"><${Empty} compact icon="search">No rule fits. <button type="button" class="linked" onClick=${() => route.set({ q: "", stand: "all" })}>Show all rules</button><//></div>`
      : html`<${Table} name="rules" label="Rules" rows=${rows} columns=${columns} rowKey=${(one) => `${one.configuration}/${one.active}`} top=${`${stand} ${q}`} height=${`min(${rows.length * 33 + 60}px, calc(100vh - 280px))`} rowClass=${(one) => (one.active ? "" : "dimmed")} onOpen=${(one) => route.follow(route.to(run.name, "findings", {}, "rule", one.configuration))} />`}
  </div>`;
}
