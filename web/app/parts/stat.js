// Small figures: a name, a value, what it means. <Stats items=${[{label, value, detail, tone, spark, href, title}]} />
import { html } from "../vendor/preact.js";
import { Icon } from "./icon.js";
import { Spark } from "./spark.js";

// Stat is one figure. tone ("error", "warning", "ok") shows a sign next to it; spark: values for a small line; share (0..1): a bar below.
export function Stat({ label, value, detail, tone, spark, share, href, title }) {
  const inside = html`<dt class="stat-label cut" title=${title ?? label}>${label}</dt>
    <dd class=${`stat-value n ${tone ?? ""}`}>${tone && html`<${Icon} name=${tone} size=${14} label=${tone} /> `}${value}</dd>
    ${share !== undefined && share !== null && html`<dd class="stat-share" aria-hidden="true"><span ref=${(node) => node?.style.setProperty("width", `${Math.max(0, Math.min(1, share)) * 100}%`)}></span></dd>`}
    ${spark && html`<dd class="stat-spark"><${Spark} values=${spark} width=${120} height=${22} label=${label} /></dd>`}
    ${detail && html`<dd class="stat-detail">${detail}</dd>`}`;
  return href ? html`<a class="stat" href=${href}><dl>${inside}</dl></a>` : html`<div class="stat"><dl>${inside}</dl></div>`;
}

export const Stats = ({ items, label }) => html`<div class="stats" role="group" aria-label=${label}>${items.filter(Boolean).map((item) => html`<${Stat} key=${item.label} ...${item} />`)}</div>`;

// Shares is one bar of several parts with its legend: <Shares parts=${[{name, share, token, text}]} label="Where the time went" />
export function Shares({ parts, label }) {
  const set = (css, value) => (node) => node?.style.setProperty(css, value);
  const shown = parts.filter((part) => part.share > 0);
  return html`<div class="shares"><div class="shares-bar" role="img" aria-label=${`${label}: ${shown.map((part) => `${part.name} ${part.text}`).join(", ")}`}>
      ${shown.map((part) => html`<span key=${part.name} title=${`${part.name} ${part.text}`} ref=${(node) => { set("flex-grow", part.share)(node); set("background", `var(${part.token})`)(node); }}></span>`)}</div>
    <ul class="shares-legend">${shown.map((part) => html`<li key=${part.name}><i ref=${set("background", `var(${part.token})`)}></i><span>${part.name}</span> <span class="quiet n">${part.text}</span></li>`)}</ul></div>`;
}
