// Findings and rules of a run: what was found, one by one or by root cause; all rules with what each saw; a page for each rule.
import { html } from "../../vendor/preact.js";
import { useCommands } from "../../core/commands.js";
import { useEvents, useGet } from "../../core/use.js";
import { Boundary } from "../../parts/boundary.js";
import { Answer } from "../../parts/empty.js";
import { Tabs } from "../../parts/tabs.js";
import { FindingList } from "./list.js";
import { useMutes } from "./mute.js";
import { RuleOfRun } from "./rule.js";
import { RuleTable } from "./rules.js";

export function Page({ run, api, route }) {
  const findings = useGet(run.path("findings"));
  const rules = useGet(run.path("rules"));
  const mutes = useMutes(run);
  const again = () => {
    findings.reload();
    rules.reload();
    mutes.reload();
  };
  useEvents(run.name, { findings: again, rules: rules.reload, plan: rules.reload, reset: again }, { when: run.live });
  const [kind, name] = route.rest;
  const view = route.get("view", "findings");
  useCommands(() => [
    { group: "Findings", title: "Findings of this run", run: () => route.follow(route.to(run.name, "findings")) },
    { group: "Findings", title: "All rules of this run", run: () => route.follow(route.to(run.name, "findings", { view: "rules" })) },
  ], [run.name]);
  if (kind === "rule" && name) {
    return html`<${Boundary} what="The rule" of=${name}><${Answer} of=${rules} what="The rules could not be read.">${(data) => html`
      <${RuleOfRun} key=${name} run=${run} api=${api} route=${route} name=${name} rules=${data.rules} findings=${findings} mutes=${mutes} again=${again} />`}<//><//>`;
  }
  const counted = findings.data?.findings.filter((one) => !one.muted).length;
  return html`<div class="findings">
    <h1>Findings and rules</h1>
    <${Tabs} label="Findings and rules" value=${view} onChange=${(id) => route.push({ view: id === "findings" ? "" : id, q: "", stand: "", severity: "", id: "" })}
      tabs=${[{ id: "findings", title: "Findings", count: counted }, { id: "rules", title: "Rules", count: rules.data?.rules.filter((one) => one.active).length }]}>
      ${view === "rules"
        ? html`<${Boundary} what="The rules" of="rules"><${Answer} of=${rules} what="The rules could not be read.">${(data) => html`<${RuleTable} run=${run} route=${route} data=${data} />`}<//><//>`
        : html`<${Boundary} what="The findings" of="findings"><${Answer} of=${findings} what="The findings could not be read.">${(data) => html`<${FindingList} run=${run} api=${api} route=${route} data=${data} mutes=${mutes} again=${again} />`}<//><//>`}
    <//>
  </div>`;
}
