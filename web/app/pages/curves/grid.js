// The charts in their groups.

import { html, useEffect, useRef, useState } from "../../vendor/preact.js";
import * as format from "../../core/format.js";
import { Icon } from "../../parts/icon.js";
import { Card } from "./card.js";
import { ofChart } from "./parts.js";

const many = 1000; // titles that are put on the page unasked
const first = 24; // those in the first frame; the others follow while nothing else is to be done
const atOnce = 120;

const made = new WeakMap();

// whole is a chart of the catalogue with what it is made of.
export function whole(chart) {
  if (!made.has(chart)) made.set(chart, { ...chart, ...ofChart(chart) });
  return made.get(chart);
}

// useGrowing is how many of a list are drawn now: few at first, all soon.
function useGrowing(list, most, when) {
  const [n, set] = useState(first);
  const end = Math.min(list.length, most);
  const last = useRef(list);
  const now = last.current === list ? n : Math.min(n, 2 * atOnce);
  useEffect(() => {
    last.current = list;
    if (!when || now >= end) return undefined;
    const grow = () => set(Math.min(end, now + atOnce));
    if (!window.requestIdleCallback) {
      const timer = setTimeout(grow, 30);
      return () => clearTimeout(timer);
    }
    const handle = requestIdleCallback(grow, { timeout: 200 });
    return () => cancelIdleCallback(handle);
  }, [list, now, end, when]);
  return Math.min(now, end);
}

export function Group({ name, title, charts, page, whole: complete = false }) {
  const { closed } = page.settings;
  const open = !closed.has(name);
  const [most, setMost] = useState(many);
  const drawn = useGrowing(charts, most, open);
  const toggle = () => page.set({ closed: open ? [...closed, name] : [...closed].filter((one) => one !== name) });
  const id = `group ${name}`;
  return html`<section class=${`cv-group ${charts.length < 4 ? `few-${charts.length}` : ""}`} aria-labelledby=${id}>
    <h2 id=${id}><button type="button" class="cv-fold" aria-expanded=${open} onClick=${toggle}><${Icon} name=${open ? "down" : "right"} size=${12} /><span class="said">${title}</span> <span class="faint n">${format.count(charts.length)}</span></button></h2>
    ${open && html`<div class="cv-grid">${charts.slice(0, drawn).map((chart) => html`<${Card} key=${chart.key} chart=${complete ? chart : whole(chart)} page=${page} />`)}</div>`}
    ${open && charts.length > most && html`<button type="button" class="button" onClick=${() => setMost(most + many)}>Show ${format.count(Math.min(many, charts.length - most))} more of ${format.count(charts.length - most)}</button>`}
  </section>`;
}
