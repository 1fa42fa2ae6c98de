// A slider over the steps that there are, with the step before, the step after, and a film of them.
import { html, useEffect, useId, useState } from "../vendor/preact.js";
import * as format from "../core/format.js";
import { Icon } from "./icon.js";

const still = matchMedia("(prefers-reduced-motion: reduce)");

// StepSlider: <StepSlider label="Step" steps=${[0, 10, 20]} value=${10} onChange=${...} film />
export function StepSlider({ label = "Step", steps, value, onChange, film = false, name = (step) => format.count(step) }) {
  const id = useId();
  const [playing, setPlaying] = useState(false);
  const at = Math.max(0, nearestIndex(steps, value));
  useEffect(() => {
    if (!playing) return undefined;
    const timer = setInterval(() => {
      if (document.hidden) return;
      if (at >= steps.length - 1) setPlaying(false);
      else onChange(steps[at + 1]);
    }, Math.max(60, Math.min(400, 8000 / steps.length)));
    return () => clearInterval(timer);
  }, [playing, at, steps]);
  if (!steps.length) return null;
  const go = (i) => onChange(steps[Math.max(0, Math.min(steps.length - 1, i))]);
  const play = () => {
    if (!playing && at >= steps.length - 1) go(0);
    setPlaying(!playing);
  };
  return html`<span class="slider"><label class="quiet" for=${id}>${label}</label>
    ${film && steps.length > 1 && !still.matches && html`<button type="button" class="button plain small icon" aria-label=${playing ? "Stop the film" : "Play as a film"} title=${playing ? "Stop" : "Play"} onClick=${play}><${Icon} name=${playing ? "stop" : "play"} size=${14} /></button>`}
    <button type="button" class="button plain small icon" aria-label="Step before" disabled=${at === 0} onClick=${() => go(at - 1)}><${Icon} name="left" size=${14} /></button>
    <input id=${id} type="range" min="0" max=${steps.length - 1} value=${at} aria-valuetext=${`${label} ${name(steps[at])}`} onInput=${(event) => go(Number(event.target.value))} />
    <button type="button" class="button plain small icon" aria-label="Step after" disabled=${at === steps.length - 1} onClick=${() => go(at + 1)}><${Icon} name="right" size=${14} /></button>
    <output class="n" for=${id}>${name(steps[at])} <span class="faint">of ${name(steps.at(-1))}</span></output></span>`;
}

function nearestIndex(steps, value) {
  if (value === null || value === undefined || value === "") return steps.length - 1;
  let best = 0;
  for (let i = 1; i < steps.length; i++) if (Math.abs(steps[i] - value) < Math.abs(steps[best] - value)) best = i;
  return best;
}
