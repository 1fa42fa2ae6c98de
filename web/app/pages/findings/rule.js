// A rule as it stands to the run: what it saw and when, its findings, parameters, log and files; or how it is added.
import { html, useState } from "../../vendor/preact.js";
import { bytes, count, several, time } from "../../core/format.js";
import { useGet } from "../../core/use.js";
import { Text } from "../../parts/code.js";
import { Answer, Command, Empty } from "../../parts/empty.js";
import { Finding } from "../../parts/finding.js";
import { Icon } from "../../parts/icon.js";
import { Stats } from "../../parts/stat.js";
import { RuleText } from "../rules/text.js";
import { Mute, MuteButton, symptomsOf } from "./mute.js";
import { Stand } from "./rules.js";

export function RuleOfRun({ run, api, route, name, rules, findings, mutes, again }) {
  const rule = rules.find((one) => one.configuration === name && one.active) ?? rules.find((one) => one.configuration === name) ?? rules.find((one) => one.rule === name);
  const back = html`<a class="back" href=${route.to(run.name, "findings", { view: "rules" })}><${Icon} name="left" size=${14} /> All rules</a>`;
  if (!rule) return html`${back}<${Empty} icon="search">The catalogue has no rule <strong class="said">${name}</strong>, and none of that name judged this run.<//>`;
  return html`<div class="rule stack">
    <div>${back}
      <div class="line apart"><h1><span class="said">${rule.configuration}</span></h1>${rule.active && html`<${MuteRule} run=${run} api=${api} rule=${rule} findings=${findings} again=${again} />`}</div>
      <p class="rule-summary">${rule.summary || html`A rule of your own${rule.rule !== rule.configuration ? `, ${rule.rule}` : ""}.`}</p></div>
    ${rule.active ? html`<${Saw} run=${run} rule=${rule} />` : html`<${Add} rule=${rule} />`}
    ${rule.active && html`<${Own} run=${run} api=${api} rule=${rule} findings=${findings} mutes=${mutes} again=${again} />`}
    ${rule.log && html`<${Log} run=${run} rule=${rule} />`}
    ${rule.files.length > 0 && html`<${Files} run=${run} rule=${rule} />`}
    ${rule.rule_class && html`<${RuleText} name=${rule.rule} given=${rule.active ? rule.parameters : null} check=${route.get("check")} />`}
  </div>`;
}

function MuteRule({ run, api, rule, findings, again }) {
  const [open, setOpen] = useState(false);
  const symptoms = (findings.data?.groups ?? []).reduce((n, group) => n + (group.root.configuration === rule.configuration ? symptomsOf([group], group.root) : 0), 0);
  const may = run.can("tags");
  return html`<button type="button" class="button small" disabled=${!may.allowed} title=${may.allowed ? null : may.why_not} onClick=${() => setOpen(true)}><${Icon} name="mute" size=${14} /> Mute this rule</button>
    ${open && html`<${Mute} run=${run} api=${api} rule=${rule.configuration} symptoms=${symptoms} again=${again} close=${() => setOpen(false)} />`}`;
}

// Saw is what the rule saw, in figures and in words.
function Saw({ rule }) {
  const { counters, first, last } = rule;
  const skipped = Object.entries(counters.skipped);
  return html`<section class="card" aria-label="What it saw">
    <header><h2>In this run</h2></header>
    <div class="body stack">
      <div class="line"><${Stand} rule=${rule} text=${rule.stand_text} /></div>
      ${rule.notes.length > 0 && html`<ul class="stack tight">${rule.notes.map((note) => html`<li class="quiet said" key=${note}>${note}</li>`)}</ul>`}
      <${Stats} label="Counters" items=${[
        { label: "Values judged", value: count(counters.datapoints) },
        { label: "Times it fired", value: count(counters.rule_triggered) },
        { label: "Violations", value: count(counters.violations) },
        skipped.length > 0 && { label: "Skipped", value: count(skipped.reduce((sum, [, n]) => sum + n, 0)), detail: skipped.map(([why, n]) => `${why.replaceAll("_", " ")} ${count(n)}`).join(", ") },
        first && { label: "First finding", value: first.clock, detail: time(first.time) },
        last && last.id !== first.id && { label: "Last finding", value: last.clock, detail: time(last.time) },
      ]} />
    </div></section>`;
}

// Add is how a rule that does not judge the run is added.
function Add({ rule }) {
  return html`<section class="card" aria-label="How to add it">
    <header><h2>This rule does not judge the run</h2></header>
    <div class="body stack">
      ${rule.add.map((one) => html`<div class="stack tight" key=${one.text}><p class="quiet">${one.does[0].toUpperCase() + one.does.slice(1)}:</p><div><${Command} text=${one.text} /></div></div>`)}
    </div></section>`;
}

const most = 20;

// Own are the rule's findings, the newest first.
function Own({ run, api, rule, findings, mutes, again }) {
  if (!rule.counters.findings && !findings.data?.findings.some((one) => one.configuration === rule.configuration)) return null;
  return html`<${Answer} of=${findings} what="The findings could not be read.">${(data) => {
    const list = data.findings.filter((one) => one.configuration === rule.configuration).reverse();
    return html`<h2>${several(list.length, "finding")}</h2>
      ${list.slice(0, most).map((one, i) => html`<${Finding} key=${one.id} run=${run} finding=${one} chart=${i === list.length - 1 || i === 0}><${MuteButton} run=${run} api=${api} finding=${one} symptoms=${symptomsOf(data.groups, one)} mutes=${mutes} again=${again} /><//>`)}
      ${list.length > most && html`<p class="quiet">The newest ${most} are shown.</p>`}`;
  }}<//>`;
}

function Log({ run, rule }) {
  const of = useGet(run.path("logs"), { which: `rule:${rule.configuration}` }, { every: run.live ? 2000 : 0 });
  return html`<section class="card" aria-label="Log"><header><h2>What it printed</h2></header><div class="body flush"><${Answer} of=${of} what="The log could not be read." compact>${(data) => html`<${Text} text=${data.text} label="What the rule printed" />`}<//></div></section>`;
}

function Files({ run, rule }) {
  return html`<section class="card" aria-label="Files"><header><h2>What it wrote</h2></header><ul class="body stack tight">${rule.files.map((one) => html`<li class="line" key=${one.path}><${Icon} name="download" size=${14} /><a class="said" href=${run.url("files", ...one.path.split("/"))} download>${one.path.split("/").slice(2).join("/")}</a><span class="quiet n">${bytes(one.size)}</span></li>`)}</ul></section>`;
}
