// The findings of a run, by root cause or each by itself, with filters that stand in the address.
import { html, useEffect, useMemo, useRef } from "../../vendor/preact.js";
import { several } from "../../core/format.js";
import { matcher } from "../../core/match.js";
import { Empty } from "../../parts/empty.js";
import { Finding } from "../../parts/finding.js";
import { Icon } from "../../parts/icon.js";
import { Search } from "../../parts/search.js";
import { Severity } from "../../parts/severity.js";
import { Choice } from "../../parts/tabs.js";
import { headline } from "../overview/verdict.js";
import { MuteButton, symptomsOf } from "./mute.js";

const severities = ["error", "warning", "info"];
const most = 50;

// text is what a finding is searched in.
const text = (one) => `${one.rule} ${one.check} ${one.configuration} ${one.subject} ${one.message} ${one.cause} ${one.worker} ${one.mode}`;

export function FindingList({ run, api, route, data, mutes, again }) {
  const q = route.get("q");
  const severity = route.get("severity");
  const by = route.get("by", "cause");
  const show = route.get("show", "counted");
  const id = route.get("id");
  const rule = route.get("rule");
  const wanted = useMemo(() => {
    const fits = matcher(q);
    return (one) => (!severity || one.severity === severity) && (!rule || one.configuration === rule || one.rule === rule)
      && (show === "all" || one.muted === true === (show === "muted")) && (!q || fits(text(one)));
  }, [q, severity, show, rule]);
  const single = by === "each" || show !== "counted";
  const groups = useMemo(() => data.groups.filter((group) => wanted(group.root) || group.symptoms.some(wanted)), [data, wanted]);
  const list = useMemo(() => data.findings.filter(wanted).reverse(), [data, wanted]);
  const count = single ? list.length : groups.length;
  const all = single ? data.findings.length : data.groups.length;
  const counts = useMemo(() => Object.fromEntries(severities.map((one) => [one, data.findings.filter((finding) => finding.severity === one && !finding.muted).length])), [data]);
  useSight(id, data);
  if (!data.findings.length) return html`<${Nothing} run=${run} data=${data} route=${route} />`;
  const mute = (finding) => html`<${MuteButton} run=${run} api=${api} finding=${finding} symptoms=${symptomsOf(data.groups, finding)} mutes=${mutes} again=${again} />`;
  return html`<div class="stack">
    <div class="line filters">
      <${Search} label="Search findings" value=${q} onChange=${(value) => route.set({ q: value })} count=${q || severity || rule ? `${count} of ${all}` : null} where="Findings" />
      <${Choice} label="Severity" value=${severity} onChange=${(value) => route.set({ severity: value })} options=${[["", "All"], ...severities.filter((one) => counts[one] > 0).map((one) => [one, html`<${Severity} of=${one} plain /> <span class="n">${counts[one]}</span>`])]} />
      <${Choice} label="Order" value=${by} onChange=${(value) => route.set({ by: value === "cause" ? "" : value })} options=${[["cause", "By root cause"], ["each", "One by one"]]} />
      ${data.muted.length > 0 && html`<${Choice} label="Muted" value=${show} onChange=${(value) => route.set({ show: value === "counted" ? "" : value })} options=${[["counted", "Counted"], ["muted", "Muted"], ["all", "All"]]} />`}
      ${rule && html`<button type="button" class="tag chip" onClick=${() => route.set({ rule: "" })}>rule ${rule} <${Icon} name="close" size=${12} label="Remove the filter" /></button>`}
    </div>
    ${count === 0 && html`<div class="card"><${Empty} compact icon="search">No finding fits. <button type="button" class="linked" onClick=${() => route.set({ q: "", severity: "", show: "", rule: "" })}>Show all</button><//></div>`}
    ${single
      ? list.slice(0, most).map((one, i) => html`<div key=${one.id} id=${one.id} class=${one.id === id ? "looked-at" : ""}><${Finding} run=${run} finding=${one} heading="h2" chart=${one.id === id || (list.length <= 3 && i < 3)}>${mute(one)}<//></div>`)
      : groups.slice(0, most).map((group, i) => html`<div key=${group.root.id} id=${group.root.id} class=${has(group, id) ? "looked-at" : ""}><${Finding} run=${run} finding=${group.root} group=${group} heading="h2" chart=${has(group, id) || i < 3}>${mute(group.root)}<//></div>`)}
    ${count > most && html`<p class="quiet">The ${single ? "newest" : "first"} ${most} of ${count} are shown. Search or filter for the others.</p>`}
    ${data.actions.length > 0 && html`<${Actions} list=${data.actions} />`}
  </div>`;
}

const has = (group, id) => id !== "" && (group.root.id === id || group.symptoms.some((one) => one.id === id));

// useSight brings the finding that the address names into sight, once.
function useSight(id, data) {
  const done = useRef("");
  useEffect(() => {
    if (!id || done.current === id) return;
    done.current = id;
    document.querySelector(".looked-at")?.scrollIntoView({ block: "start" });
  }, [id, data]);
}

function Nothing({ run, data, route }) {
  const { verdict } = run.describe;
  return html`<div class="card"><div class="empty">
    <${Icon} name=${verdict.class === "ok" && run.live ? "running" : verdict.class} size=${24} />
    <p><strong>${headline(verdict.text)}</strong></p>
    <p class="quiet">${data.text}. <a href=${route.to(run.name, "findings", { view: "rules" })}>What each rule saw</a></p>
  </div></div>`;
}

function Actions({ list }) {
  return html`<section class="card" aria-labelledby="actions"><header><h2 id="actions">Actions</h2></header>
    <ul class="body stack tight">${list.map((one) => html`<li key=${one.key} class="line"><${Severity} of=${one.state === "done" ? "ok" : one.state === "failed" ? "error" : "warning"} text=${one.state} plain /><span class="said grow">${one.outcome}</span></li>`)}</ul>
    <p class="sr">${several(list.length, "action")}</p></section>`;
}
