// Findings, checkpoints and changes of the plan as signs on the time axis. Those that would lie on each other are one sign.
import { html } from "../../vendor/preact.js";
import * as format from "../../core/format.js";
import { Icon } from "../../parts/icon.js";
import { order } from "../../parts/severity.js";
import { pinsTop } from "./strip-paint.js";

const rank = (pin) => (order.indexOf(pin.kind) + 1 || (pin.kind === "plan" ? 5 : 6));
const icons = { checkpoint: "checkpoint", plan: "gear" };

// Pins: pins are [{x, kind: error|warning|info|checkpoint|plan, title, href}].
export function Pins({ pins, toPx, from, to, zoom }) {
  const groups = [];
  for (const pin of pins) {
    const px = toPx(pin.x);
    if (px < from - 1 || px > to + 1) continue;
    const last = groups.at(-1);
    if (last && px - last.px < 16) last.pins.push(pin);
    else groups.push({ px, pins: [pin] });
  }
  return html`<span class="pins">${groups.map(({ px, pins }) => {
    const first = pins.reduce((best, pin) => (rank(pin) < rank(best) ? pin : best));
    const more = pins.length > 1;
    const title = pins.slice(0, 6).map((pin) => `${format.clock(pin.x)}  ${pin.title}`).join("\n") + (pins.length > 6 ? `\nand ${pins.length - 6} more` : "") + (more ? "\nClick zooms in" : "");
    const put = (node) => {
      node?.style.setProperty("left", `${px}px`);
      node?.style.setProperty("top", `${pinsTop}px`);
    };
    const inside = html`<${Icon} name=${icons[first.kind] ?? first.kind} size=${12} label=${title} />${more && html`<sub>${pins.length > 99 ? "99+" : pins.length}</sub>`}`;
    const key = `${first.x} ${first.title}`;
    if (!more && first.href) return html`<a key=${key} ref=${put} class=${`pin ${first.kind}`} href=${first.href} title=${title} tabindex="-1">${inside}</a>`;
    const around = () => {
      const room = Math.max(1, (pins.at(-1).x - pins[0].x) * 0.5);
      zoom([pins[0].x - room, pins.at(-1).x + room]);
    };
    return html`<button key=${key} type="button" ref=${put} class=${`pin ${first.kind}`} title=${title} tabindex="-1" onClick=${around}>${inside}</button>`;
  })}</span>`;
}
