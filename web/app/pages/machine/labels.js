// Choosing what a chart shows: the mean of all cores or GPUs, and single ones, several at once.
import { html } from "../../vendor/preact.js";
import { Menu } from "../../parts/menu.js";

// Labels is the menu. all: [{id, label}]; chosen: ids. groups: [{heading, ids}] of those above.
export function Labels({ name, all, chosen, set, base }) {
  const known = new Set(all.map(({ id }) => id));
  const here = chosen.filter((id) => known.has(id));
  const toggle = (id) => set(here.includes(id) ? here.filter((one) => one !== id) : all.map((one) => one.id).filter((one) => one === id || here.includes(one)));
  const singles = all.filter(({ id }) => !base.includes(id));
  const items = [
    ...all.filter(({ id }) => base.includes(id)).map((one) => ({ label: one.label, checked: here.includes(one.id), keep: true, run: () => toggle(one.id) })),
    singles.length > 0 && { divider: true },
    singles.length > 1 && { label: `All ${singles.length}`, checked: singles.every(({ id }) => here.includes(id)), keep: true, run: () => set(singles.every(({ id }) => here.includes(id)) ? base : [...base, ...singles.map(({ id }) => id)]) },
    ...singles.map((one) => ({ label: one.label, checked: here.includes(one.id), keep: true, run: () => toggle(one.id) })),
  ];
  const shown = here.filter((id) => !base.includes(id)).length;
  return html`<${Menu} label=${`${name}: ${shown ? `${shown} of ${singles.length}` : "mean"}`} button="plain small" items=${items} />`;
}
