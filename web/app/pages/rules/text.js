// What a rule says of itself: its checks with causes and remedies, parameters, needs and cost.
import { html, useEffect, useState } from "../../vendor/preact.js";
import { several } from "../../core/format.js";
import { useGet } from "../../core/use.js";
import { Answer } from "../../parts/empty.js";
import { Prose } from "../../parts/prose.js";
import { Severity } from "../../parts/severity.js";

// RuleText: given are the parameters of a run; check is the name of the check that is opened.
export function RuleText({ name, given = null, check }) {
  const of = useGet(`rules/${encodeURIComponent(name)}`);
  return html`<${Answer} of=${of} what="The rule could not be read.">${(rule) => html`<div class="stack">
    <section class="card" aria-label="About the rule"><header><h2>About the rule</h2></header><div class="body stack">
      <p><${Prose} text=${rule.why} /></p>
      <dl class="facts">
        <dt>Class</dt><dd><code class="said">${rule.rule_class}</code></dd>
        <dt>Severity</dt><dd><${Severity} of=${rule.severity} plain /></dd>
        <dt>In the default set</dt><dd>${rule.in_default_set ? "yes" : "no; it judges where it is asked for"}</dd>
        ${rule.frameworks.length > 0 && html`<dt>For</dt><dd>${rule.frameworks.join(", ")}</dd>`}
        ${rule.causes.length > 0 && html`<dt>Likely causes</dt><dd><${List} items=${rule.causes} /></dd>`}
        ${rule.remedies.length > 0 && html`<dt>What to try</dt><dd><${List} items=${rule.remedies} /></dd>`}
        ${rule.needs.length > 0 && html`<dt>Needs</dt><dd><${List} items=${rule.needs.map((one) => `${one.values} of ${one.tensors}, ${one.schedule}`)} /></dd>`}
        <dt>Cost</dt><dd><${List} items=${rule.cost} /></dd>
      </dl></div></section>
    ${rule.checks.length > 0 && html`<section class="card" aria-label="Checks"><header><h2>${several(rule.checks.length, "check")}</h2></header><div class="body flush">${rule.checks.map((one) => html`<${Check} key=${one.id} check=${one} rule=${rule} open=${rule.checks.length === 1 || one.id.split("/")[1] === check || (one.former ?? []).includes(check)} />`)}</div></section>`}
    ${rule.parameters.length > 0 && html`<section class="card" aria-label="Parameters"><header><h2>Parameters</h2></header><div class="body scroll" tabindex="0" role="region" aria-label="Table of parameters"><${Parameters} rule=${rule} given=${given} /></div></section>`}
  </div>`}<//>`;
}

const List = ({ items }) => (items.length === 1 ? html`<${Prose} text=${items[0]} />` : html`<ul class="bullets">${items.map((one) => html`<li key=${one}><${Prose} text=${one} /></li>`)}</ul>`);

const same = (a, b) => a.join("\n") === b.join("\n");

// Check is one check, its explanation folded.
function Check({ check, rule, open }) {
  const [, name] = check.id.split("/");
  const said = rule.explanations[name];
  const [node, setNode] = useState(null);
  useEffect(() => {
    if (open && node && rule.checks.length > 1) node.scrollIntoView({ block: "center" });
  }, [node, open]);
  return html`<details class="rule-check" open=${open} id=${`check-${name}`} ref=${setNode}>
    <summary><span class="line"><strong class="said">${name}</strong><${Severity} of=${check.severity} plain />${check.status === "experimental" && html`<span class="tag">experimental</span>`}</span>
      <span class="quiet"><${Prose} text=${check.when} /></span></summary>
    ${said && html`<dl class="facts">
      ${said.causes.length > 0 && !same(said.causes, rule.causes) && html`<dt>Likely cause</dt><dd><${List} items=${said.causes} /></dd>`}
      ${said.remedies.length > 0 && !same(said.remedies, rule.remedies) && html`<dt>Try</dt><dd><${List} items=${said.remedies} /></dd>`}
      ${said.false_alarm && html`<dt>False alarm</dt><dd><${Prose} text=${said.false_alarm} /></dd>`}
      ${said.thresholds.length > 0 && html`<dt>Judged by</dt><dd><ul class="bullets">${said.thresholds.map((one) => html`<li key=${one.name}><code>${one.name}</code> ${one.default_set || one.default}${one.unit ? ` ${one.unit}` : ""}: <${Prose} text=${one.meaning} /></li>`)}</ul></dd>`}
      <dt>Cause class</dt><dd>${[check.cause_class, ...(check.other_cause_classes ?? [])].join(", ")}</dd>
      <dt>Mute</dt><dd><code class="said">${said.mute}</code> in vigil.yaml</dd>
    </dl>`}
  </details>`;
}

function Parameters({ rule, given }) {
  const own = rule.default_set?.parameters ?? {};
  return html`<table class="plain parameters">
    <thead><tr><th scope="col">Name</th>${given && html`<th scope="col" class="here">In this run</th>`}<th scope="col">Default</th><th scope="col">Range</th><th scope="col">Meaning</th></tr></thead>
    <tbody>${rule.parameters.map((one) => {
      const here = given?.[one.name];
      const usual = own[one.name] ?? one.default;
      const changed = here !== undefined && here !== usual && !(here === "None" && usual === "");
      return html`<tr key=${one.name}><th scope="row"><code>${one.name}</code></th>
        ${given && html`<td class="said">${changed ? html`<strong>${here}</strong>` : here ?? ""}</td>`}
        <td>${one.default ? `${one.default}${one.unit ? ` ${one.unit}` : ""}` : "none"}${own[one.name] && own[one.name] !== one.default ? html` <span class="quiet">(default set: ${own[one.name]})</span>` : ""}</td>
        <td class="quiet">${one.range}</td><td><${Prose} text=${one.meaning} /></td></tr>`;
    })}</tbody></table>`;
}
