// The catalogue of rules: /rules lists all, /rules/NAME tells of one, and /rules/NAME/CHECK opens one of its checks.
import { html, useMemo } from "../../vendor/preact.js";
import { matcher } from "../../core/match.js";
import { useGet } from "../../core/use.js";
import { Answer, Empty } from "../../parts/empty.js";
import { Icon } from "../../parts/icon.js";
import { Search } from "../../parts/search.js";
import { Severity } from "../../parts/severity.js";
import { Choice } from "../../parts/tabs.js";
import { RuleText } from "./text.js";

export function Page({ route }) {
  const [name, check] = route.rest;
  const of = useGet("rules");
  return html`<${Answer} of=${of} what="The catalogue could not be read.">${(data) => (name ? html`<${One} key=${name} name=${name} check=${check} list=${data.rules} route=${route} />` : html`<${All} list=${data.rules} route=${route} />`)}<//>`;
}

const to = (route, name) => route.href(`/rules/${encodeURIComponent(name)}`);

function One({ name, check, list, route }) {
  const rule = list.find((one) => one.rule === name);
  const back = html`<a class="back" href=${route.href("/rules")}><${Icon} name="left" size=${14} /> All rules</a>`;
  if (!rule) return html`${back}<h1>Rules</h1><${Empty} icon="search">The catalogue has no rule <strong class="said">${name}</strong>.<//>`;
  return html`<div class="rule stack"><div>${back}<h1>${rule.rule}</h1><p class="rule-summary">${rule.summary}</p></div><${RuleText} name=${rule.rule} check=${check} /></div>`;
}

function All({ list, route }) {
  const q = route.get("q");
  const set = route.get("set", "all");
  const shown = useMemo(() => {
    const fits = matcher(q);
    return list.filter((one) => (set === "all" || one.in_default_set === (set === "default")) && (!q || fits(`${one.rule} ${one.rule_class} ${one.family} ${one.summary} ${(one.checks ?? []).map((check) => `${check.id} ${check.when}`).join(" ")}`)));
  }, [list, q, set]);
  return html`<div class="stack"><h1>Rules</h1>
    <div class="line filters"><${Search} label="Search rules and checks" value=${q} onChange=${(value) => route.set({ q: value })} count=${`${shown.length} of ${list.length}`} where="Rules" />
      <${Choice} label="Set" value=${set} onChange=${(value) => route.set({ set: value === "all" ? "" : value })} options=${[["all", "All"], ["default", "Default set"], ["asked", "Only when asked for"]]} /></div>
    <ul class="catalogue">${shown.map((one) => html`<li key=${one.rule} class="card"><a href=${to(route, one.rule)}><span class="line"><strong>${one.rule}</strong><${Severity} of=${one.severity} plain />${one.in_default_set && html`<span class="tag">default set</span>`}<span class="quiet small">${one.family}</span></span><span class="quiet">${one.summary}</span></a></li>`)}</ul>
    ${shown.length === 0 && html`<${Empty} compact icon="search">No rule fits.<//>`}
  </div>`;
}
