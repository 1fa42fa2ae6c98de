// A rule that is added judges from the next step on.
import { html, useState } from "../../vendor/preact.js";
import { useGet } from "../../core/use.js";
import { Answer } from "../../parts/empty.js";
import { Denied } from "./denied.js";

export function Rules({ api, plan, route }) {
  const of = useGet(api.path("rules"));
  const [name, setName] = useState("");
  const [settings, setSettings] = useState("");
  const submit = async (event) => {
    event.preventDefault();
    const spec = settings.trim() ? `${name}:${settings.trim()}` : name;
    if (await plan.change({ add_rules: [spec] }, `${name} judges from the next step on.`)) setSettings("");
  };
  return html`<section class="card" aria-label="Rules">
    <header><h2>Add a rule</h2></header>
    <div class="body stack tight"><${Answer} of=${of} what="The rules could not be read." compact>${(data) => html`
      <form class="stack tight" onSubmit=${submit} aria-label="Add a rule">
        <label class="field"><span>Rule</span><select required value=${name} onChange=${(event) => setName(event.target.value)}>
          <option value="">Choose one</option>${data.rules.map((rule) => html`<option key=${rule.rule} value=${rule.rule}>${rule.rule}</option>`)}</select></label>
        <p class="small quiet">${data.rules.find((rule) => rule.rule === name)?.summary ?? html`<a href=${route.href("/rules")}>What each rule does</a>`}</p>
        <label class="field"><span>Parameters</span><input type="text" value=${settings} placeholder="patience=2, configuration=patient" spellcheck=${false} onInput=${(event) => setSettings(event.target.value)} /></label>
        <div><button type="submit" class="button" disabled=${!plan.may.allowed || plan.busy || !name}>Add the rule</button></div>
        <${Denied} may=${plan.may} />
      </form>`}<//></div>
  </section>`;
}
