// Controls that all panels of the page share.
import { html } from "../../vendor/preact.js";
import { statistics, statName } from "../../core/statistics.js";
import { Choice } from "../../parts/tabs.js";

// ModeChoice is shown where there is a choice.
export function ModeChoice({ modes, value, onChange }) {
  if (modes.length < 2) return null;
  return html`<${Choice} label="Mode" options=${modes.map((mode) => [mode, mode])} value=${value} onChange=${onChange} />`;
}

export function WorkerChoice({ run, value, onChange }) {
  const { workers, chief } = run.describe;
  if (!(workers?.length > 1)) return null;
  return html`<label class="field">Worker <select value=${value || chief} onChange=${(event) => onChange(event.target.value === chief ? "" : event.target.value)}>
    ${workers.map((worker) => html`<option key=${worker} value=${worker}>${worker}${worker === chief ? " (chief)" : ""}</option>`)}
  </select></label>`;
}

export function StatChoice({ label = "Statistic", bare = false, stats, value, onChange, first }) {
  const known = stats.filter((stat) => statistics[stat]);
  const further = stats.filter((stat) => !statistics[stat]);
  return html`<label class="field"><span class=${bare ? "sr" : "quiet"}>${label}</span> <select value=${value} onChange=${(event) => onChange(event.target.value)}>
    ${first && html`<option value=${first[0]}>${first[1]}</option>`}
    ${!stats.includes(value) && value !== first?.[0] && html`<option value=${value}>${statName(value)}</option>`}
    ${known.map((stat) => html`<option key=${stat} value=${stat}>${statName(stat)}</option>`)}
    ${further.length > 0 && html`<optgroup label="Asked for by rules">${further.map((stat) => html`<option key=${stat} value=${stat}>${stat}</option>`)}</optgroup>`}
  </select></label>`;
}

// modesOf are the modes that a tensor may have values in.
export const modesOf = (run, tensor) => (tensor.mode_list?.length ? tensor.mode_list : run.describe.modes ?? []);
