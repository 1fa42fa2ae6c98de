// The controls of the time frame. They stay in sight.
import { html } from "../../vendor/preact.js";
import * as format from "../../core/format.js";
import { Icon } from "../../parts/icon.js";

export function Toolbar({ frame, hosts, host, setHost, live }) {
  const { view, fixed } = frame;
  const sameDay = format.time(view[0]).slice(0, 10) === format.time(view[1]).slice(0, 10);
  return html`<div class="machine-bar" role="toolbar" aria-label="Time frame">
    ${hosts.length > 1 && html`<label class="field">Node <select value=${host} onChange=${(event) => setHost(event.target.value)}>${hosts.map(({ name }) => html`<option key=${name} value=${name}>${name}</option>`)}</select></label>`}
    <span class="machine-zoom">
      <${Act} icon="plus" label="Zoom in" act=${() => frame.zoom(0.5)} />
      <${Act} icon="minus" label="Zoom out" act=${() => frame.zoom(2)} off=${fixed} why="The whole run is shown" />
      <${Act} icon="left" label="Pan left" act=${() => frame.pan(-0.25)} off=${fixed} why="The whole run is shown" />
      <${Act} icon="right" label="Pan right" act=${() => frame.pan(0.25)} off=${fixed} why="The whole run is shown" />
      <${Act} icon="reset" label="Reset" act=${() => frame.reset()} off=${fixed} why="The whole run is shown" />
    </span>
    <label class="check" title=${live ? "Shows all from the first sample to the last, and follows the end while the run goes on" : "Shows all from the first sample to the last"}><input type="checkbox" checked=${fixed} onChange=${(event) => (event.target.checked ? frame.reset() : frame.hold())} />Fixed time frame</label>
    <span class="machine-span quiet nowrap"><time>${format.time(view[0])}</time> – <time>${sameDay ? format.clock(view[1]) : format.time(view[1])}</time> · <strong>${format.duration(view[1] - view[0])}</strong></span>
  </div>`;
}

function Act({ icon, label, act, off, why }) {
  return html`<button type="button" class="button machine-act" aria-label=${label} title=${off ? why : label} aria-disabled=${off ? "true" : null} onClick=${() => off || act()}><${Icon} name=${icon} size=${14} /><span class="machine-word">${label}</span></button>`;
}
