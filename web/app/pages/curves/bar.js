// The bar over the charts: search, smoothing, axes, what else can be set.

import { html } from "../../vendor/preact.js";
import { Icon } from "../../parts/icon.js";
import { Menu } from "../../parts/menu.js";
import { axes } from "./settings.js";

export function Bar({ page, found, field, statistics, needStatistics }) {
  const { settings, set } = page;
  const choose = (stat) => set({ statistics: settings.statistics.includes(stat) ? settings.statistics.filter((s) => s !== stat) : [...settings.statistics, stat] });
  return html`<div class="cv-bar no-print" role="toolbar" aria-label="Curves">
    <label class="cv-search"><${Icon} name="search" size=${14} /><span class="sr">Search curves</span>
      <input type="search" ref=${field} value=${settings.search} placeholder="Search: words, layer?.*, /regular/" spellcheck=${false} autocomplete="off" onInput=${(e) => set({ search: e.target.value })}
        aria-invalid=${Boolean(found.error)} onKeyDown=${(e) => e.key === "Escape" && (e.target.value === "" ? e.target.blur() : set({ search: "" }))} /></label>
    <label class="field cv-smooth" title="Exponential mean with bias correction">Smoothing
      <input type="range" min="0" max="0.999" step="0.001" value=${slider(settings.smoothing)} aria-valuetext=${settings.smoothing || "none"} onInput=${(e) => set({ smoothing: weight(Number(e.target.value)) })} />
      <output class="n">${settings.smoothing ? settings.smoothing.toFixed(settings.smoothing >= 0.99 ? 3 : 2) : "off"}</output></label>
    <div class="choice" role="radiogroup" aria-label="Horizontal axis">
      ${axes.map((a) => html`<button key=${a.name} type="button" role="radio" aria-checked=${settings.axis === a.name} disabled=${a.name === "epoch" && !page.epochs && settings.axis !== "epoch"}
        title=${a.name === "epoch" && !page.epochs ? "Where the epochs begin is not known" : null} onClick=${() => set({ axis: a.name })}>${a.label}</button>`)}</div>
    <button type="button" class="button" aria-pressed=${settings.logY} title="Logarithmic values" onClick=${() => set({ logY: !settings.logY })}>Log</button>
    <${Menu} label="View" items=${[
      { label: "Logarithmic steps", checked: settings.logX, run: () => set({ logX: !settings.logX }), keep: true },
      { label: "One range for all charts", checked: settings.oneRange, run: () => set({ oneRange: !settings.oneRange }), keep: true },
      { label: "Leave outliers out of the range", checked: !settings.outliers, run: () => set({ outliers: !settings.outliers }), keep: true },
      { divider: true },
      { heading: "Zoom" },
      { label: "Show all", icon: "reset", key: "0", disabled: !settings.zoom, why: "Everything is shown.", run: () => set({ zoom: null }) },
    ]} />
    <${Statistics} settings=${settings} statistics=${statistics} need=${needStatistics} choose=${choose} set=${set} />
    <span class="grow"></span>
    ${settings.zoom && html`<button type="button" class="button" onClick=${() => set({ zoom: null })}><${Icon} name="reset" size=${14} />Show all</button>`}
  </div>`;
}

// The slider has most of its way where smoothing is strong.
const slider = (w) => 1 - (1 - w) ** (1 / 2);
const weight = (v) => Math.round((1 - (1 - v) ** 2) * 1000) / 1000;

function Statistics({ settings, statistics, need, choose, set }) {
  const chosen = settings.statistics;
  const items = [
    { heading: "Of each tensor show" },
    { label: "The mean only", checked: !chosen.length, run: () => set({ statistics: [] }), keep: true },
    ...(statistics ?? chosen).map((stat) => ({ label: stat, checked: chosen.includes(stat), run: () => choose(stat), keep: true })),
    !statistics && { label: "Reading …", disabled: true },
  ];
  return html`<span onClickCapture=${need} onKeyDownCapture=${need}><${Menu} label=${chosen.length ? `Statistics: ${chosen.length > 2 ? chosen.length : chosen.join(", ")}` : "Statistics"} items=${items} /></span>`;
}
