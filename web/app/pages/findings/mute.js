// Muting: findings of a rule, or of a rule about one tensor, that are known do not count any more. A reason is asked for.
import { html, useState } from "../../vendor/preact.js";
import { several } from "../../core/format.js";
import { attempt } from "../../core/toast.js";
import { useGet } from "../../core/use.js";
import { Dialog } from "../../parts/dialog.js";
import { Icon } from "../../parts/icon.js";
import { Choice } from "../../parts/tabs.js";

// useMutes are the mutes that people set on the run; those that it was started with are not among them.
export const useMutes = (run) => useGet(run.path("mutes"));

const covers = (mute, finding) => (mute.rule === finding.rule || mute.rule === finding.configuration) && (!mute.tensor || mute.tensor === finding.subject);

// symptomsOf is how many findings follow from one.
export const symptomsOf = (groups, finding) => groups.find((group) => group.root.id === finding.id)?.symptoms.filter((one) => one.configuration !== finding.configuration).length ?? 0;

export function MuteButton({ run, api, finding, symptoms = 0, mutes, again }) {
  const [open, setOpen] = useState(false);
  const may = run.can("tags");
  if (finding.muted) {
    const reason = finding.context?.muted_because;
    const mute = mutes.data?.mutes.find((one) => covers(one, finding));
    return html`${reason && html`<span class="quiet small said">${reason}</span>`}${mute && html`<${Unmute} run=${run} api=${api} mute=${mute} again=${again} />`}`;
  }
  return html`<button type="button" class="button plain small" disabled=${!may.allowed} title=${may.allowed ? "These findings are known: they no longer count" : may.why_not} onClick=${() => setOpen(true)}><${Icon} name="mute" size=${14} /> Mute</button>
    ${open && html`<${Mute} run=${run} api=${api} rule=${finding.configuration} subject=${finding.subject} symptoms=${symptoms} again=${again} close=${() => setOpen(false)} />`}`;
}

// Mute asks what is to be muted and why.
export function Mute({ run, api, rule, subject, symptoms, again, close }) {
  const [what, setWhat] = useState("rule");
  const [follows, setFollows] = useState("covered");
  const [reason, setReason] = useState("");
  const submit = async (event) => {
    event.preventDefault();
    const tensor = what === "subject" ? subject : "";
    const done = await attempt(() => api.put(run.path("mutes"), { rule, tensor, reason: reason.trim(), symptoms_count: follows === "counts" }), `Findings of ${rule} are muted.`);
    if (done === undefined) return;
    close();
    again();
    run.reload();
  };
  return html`<${Dialog} title=${`Mute ${rule}`} onClose=${close}><form class="stack" onSubmit=${submit}>
    <p class="quiet">Muted findings are kept and shown as such. They do not count in the verdict, in lists and in <code>vigil check</code>.</p>
    ${subject && html`<${Choice} label="What is muted" value=${what} onChange=${setWhat} options=${[["rule", "All of the rule"], ["subject", "Only this subject"]]} />`}
    ${what === "subject" && html`<p class="small said">${subject}</p>`}
    ${symptoms > 0 && html`<p class="small">${several(symptoms, "finding")} follow${symptoms === 1 ? "s" : ""} from it:</p><${Choice} label="What follows from it" value=${follows} onChange=${setFollows} options=${[["covered", "Muted with it"], ["counts", "Still count"]]} />`}
    <label class="stack tight"><span>Why does it not matter here?</span>
      <input type="text" value=${reason} maxlength="400" required autofocus placeholder="the head is frozen on purpose" onInput=${(event) => setReason(event.target.value)} /></label>
    <footer class="line"><span class="grow"></span><button type="button" class="button" onClick=${close}>Cancel</button><button type="submit" class="button main" disabled=${!reason.trim()}>Mute</button></footer>
  </form><//>`;
}

// Unmute lets the findings of a rule count again.
function Unmute({ run, api, mute, again }) {
  const may = run.can("tags");
  const click = async () => {
    const done = await attempt(() => api.remove(run.path("mutes"), { rule: mute.rule, tensor: mute.tensor }), `Findings of ${mute.rule} count again.`);
    if (done === undefined) return;
    again();
    run.reload();
  };
  return html`<button type="button" class="button plain small" disabled=${!may.allowed} title=${may.allowed ? null : may.why_not} onClick=${click}>Let it count again</button>`;
}
