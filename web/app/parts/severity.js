// Severities, statuses and their signs: shape and word say it, colour only repeats it.
import { html } from "../vendor/preact.js";
import { count, several } from "../core/format.js";
import { Icon } from "./icon.js";

export const order = ["error", "warning", "info"];
const words = { error: "Error", warning: "Warning", info: "Info", ok: "No findings", idle: "Not active", muted: "Muted", running: "Running" };

// A status of a run or a rule is one of six tones, and has a word.
const tones = {
  error: "error", warning: "warning", info: "info", ok: "ok", idle: "idle",
  running: "running", completed: "ok", failed: "error", stopped: "idle", ended: "idle", lost: "warning", interrupted: "warning",
  inprogress: "running", issuesfound: "warning", noissuesfound: "ok",
};
const said = { inprogress: "In progress", issuesfound: "Issues found", noissuesfound: "No issues found" };
const plain = (name) => String(name ?? "").toLowerCase().replace(/[\s_-]/g, "");

export const tone = (name) => tones[plain(name)] ?? "idle";
export const word = (name) => said[plain(name)] ?? String(name ?? "").replace(/^./, (letter) => letter.toUpperCase());

// Severity is the sign and the word, as a badge: <Severity of="error" /> or <Severity of="error" text="vanishing gradient" />.
export function Severity({ of, text, plain = false }) {
  const kind = tone(of);
  return html`<span class=${`severity ${kind} ${plain ? "plain" : ""}`}><${Icon} name=${kind} size=${14} /> ${text ?? words[of] ?? of}</span>`;
}

// Status is how a run or a rule stands.
export const Status = ({ of, text }) => html`<span class=${`severity plain ${tone(of)}`}><${Icon} name=${tone(of)} size=${14} /> ${text ?? word(of)}</span>`;

// What a verdict without findings is called, and its sign.
const quiet = { idle: ["Nothing judged", "idle"], muted: ["Muted", "mute"] };

// Counts says how many findings there are of each severity; a run without any says so, and whether that says anything.
export function Counts({ findings = {}, verdict = "ok", words: long = false }) {
  const some = order.filter((severity) => findings[severity] > 0);
  const [text, icon] = quiet[verdict] ?? ["No findings", "ok"];
  if (!some.length) return html`<span class=${`severity plain ${tone(verdict)}`} title=${text}><${Icon} name=${icon} size=${14} label=${long ? null : text.toLowerCase()} />${long ? ` ${text}` : ""}</span>`;
  return html`<span class="counts">${some.map((severity) => {
    const text = severity === "info" ? `${count(findings.info)} info` : several(findings[severity], words[severity].toLowerCase());
    return html`<span key=${severity} class=${`severity plain ${severity}`} title=${text}><${Icon} name=${severity} size=${14} label=${long ? null : text} /> ${long ? text : count(findings[severity])}</span>`;
  })}</span>`;
}

// worst is the gravest severity of which there is one, else "ok".
export const worst = (findings = {}) => order.find((severity) => findings[severity] > 0) ?? "ok";
