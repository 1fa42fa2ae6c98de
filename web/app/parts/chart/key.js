// The one key to the colours and lines of a page's charts.
import { modes as words, modeWord } from "../../core/statistics.js";
import { html } from "../../vendor/preact.js";

// modeColours are the colours of curves that differ only in their mode.
export const modeColours = { TRAIN: 0, GLOBAL: 0, EVAL: 1, PREDICT: 2 };

// Key explains what the charts of a page have in common. modes: of their curves; kinds: of what is marked on them.
export function Key({ modes, kinds }) {
  const known = [...new Set(modes)].filter((mode) => mode in words).sort((a, b) => modeColours[a] - modeColours[b]);
  const has = new Set(kinds);
  const items = [
    ...(known.length > 1 ? known.map((mode) => [`curve-${modeColours[mode] + 1}`, modeWord(mode)]) : []),
    ...[["epoch", "begin of an epoch"], ["checkpoint", "checkpoint"], ["finding", "finding"]].filter(([kind]) => has.has(kind)),
  ];
  return items.length > 0 && html`<ul class="line chart-key">${items.map(([kind, text]) => html`<li key=${kind}><i class=${kind}></i>${text}</li>`)}</ul>`;
}
