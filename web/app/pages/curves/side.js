// The list of runs next to the charts of a comparison: what each line is, which are
// shown, how they are grouped.

import { Component, html } from "../../vendor/preact.js";
import * as format from "../../core/format.js";
import { Icon } from "../../parts/icon.js";
import { Menu } from "../../parts/menu.js";
import { Swatch } from "../../parts/chart/legend.js";
import { bands } from "../../core/align.js";
import { groupings } from "./runs.js";

// latest is a ref to what the page is now, for what happens later.
export function Side({ page, latest, rows, errors }) {
  const { settings, runs, set } = page;
  const shown = runs.filter((r) => !r.hidden).length;
  const ways = groupings([...rows.values()]);
  const all = () => set({ hidden: shown === runs.length ? runs.map((r) => r.name) : [] });
  return html`<aside class="cv-side" aria-label="Runs">
    <header class="line"><h2 class="grow">Runs <span class="faint n">${format.count(runs.length)}</span></h2>
      <button type="button" class="button plain small" onClick=${page.compare}><${Icon} name="plus" size=${14} />Add</button></header>
    <label class="field cv-side-field">Group by <select value=${settings.group} onChange=${(e) => set({ group: e.target.value })}>
      ${ways.map((w) => html`<option key=${w.value} value=${w.value} selected=${w.value === settings.group}>${w.label}</option>`)}
      ${!ways.some((w) => w.value === settings.group) && html`<option value=${settings.group} selected>${settings.group}</option>`}</select></label>
    ${settings.group && html`<div class="cv-side-field"><label class="field">Band <select value=${settings.band} onChange=${(e) => set({ band: e.target.value })}>
        ${Object.entries({ ...bands, none: "none" }).map(([value, label]) => html`<option key=${value} value=${value} selected=${value === settings.band}>${label}</option>`)}</select></label>
      <label class="check"><input type="checkbox" checked=${settings.singles} onChange=${(e) => set({ singles: e.target.checked })} />Single curves</label>
      <p class="small faint">Means count all runs of a group, hidden ones too.</p></div>`}
    <div class="cv-side-all"><label class="check small quiet"><input type="checkbox" checked=${shown === runs.length} ref=${(box) => box && (box.indeterminate = shown > 0 && shown < runs.length)} onChange=${all} />${shown} shown</label>
      ${settings.picked && html`<button type="button" class="button plain small" onClick=${() => page.pick("")}>Clear the choice</button>`}</div>
    <ul class="cv-runs">${runs.map((run) => html`<${One} key=${run.name} run=${run} row=${rows.get(run.name)} picked=${settings.picked === run.name} latest=${latest} error=${errors.find((e) => e.run === run.name)?.error} />`)}</ul>
  </aside>`;
}

const told = ["run", "row", "picked", "error"];

// One is a run of the list. It is drawn again only when something of it changed.
class One extends Component {
  shouldComponentUpdate(next) {
    return told.some((key) => next[key] !== this.props[key]);
  }

  render({ run, row, picked, error, latest }) {
    const loss = row?.losses?.[0];
    const page = () => latest.current;
    const toggle = () => page().set({ hidden: run.hidden ? [...page().settings.hidden].filter((n) => n !== run.name) : [...page().settings.hidden, run.name] });
    return html`<li class=${`${picked ? "picked" : ""} ${run.hidden ? "off" : ""}`}>
      <input type="checkbox" checked=${!run.hidden} aria-label=${`Show ${run.name}`} onChange=${toggle} />
      <button type="button" class="cv-run" aria-pressed=${picked} title=${run.name} onClick=${() => page().pick(picked ? "" : run.name)}>
        <${Swatch} series=${run} /><span class="cut said">${run.name}</span>${loss && html`<span class="n faint">${format.number(loss.last, 3)}</span>`}</button>
      <${Menu} label=${`Run ${run.name}`} icon="more" words=${false} button="plain small" items=${[
        { label: "Open", icon: "right", href: page().route.to(run.name, "overview") },
        { label: "Its curves alone", icon: "link", href: page().route.to(run.name, "curves") },
        { label: "Show only this one", icon: "eye", run: () => page().set({ hidden: page().runs.map((r) => r.name).filter((n) => n !== run.name) }) },
        { label: "Take it out", icon: "close", run: () => page().without(run.name) },
      ]} />
      ${error && html`<p class="small cv-run-error said">${error.message}</p>`}
    </li>`;
  }
}
