// "Sample the next 5 seconds": asks the running job for a window of detail, and waits until it is stored.
import { html, useEffect, useRef, useState } from "../../vendor/preact.js";
import * as api from "../../core/api.js";
import { toast } from "../../core/toast.js";
import { Icon } from "../../parts/icon.js";
import { going } from "./words.js";

const seconds = 5;

export function Sample({ run, done }) {
  const [asked, setAsked] = useState(null); // {number, until}
  const [left, setLeft] = useState(0);
  const here = useRef(true);
  useEffect(() => () => { here.current = false; }, []);
  const { allowed, why_not: why } = run.can("profile");
  if (!going(run)) return null;
  const start = async () => {
    try {
      setLeft(seconds);
      setAsked({});
      const { number } = await api.post(run.path("profile"), { kind: "stacks", seconds });
      const began = Date.now();
      for (;;) {
        await new Promise((resolve) => setTimeout(resolve, 500));
        if (!here.current) return;
        setLeft(Math.max(0, Math.ceil(seconds - (Date.now() - began) / 1000)));
        const at = await api.get(run.path("profile", String(number)));
        if (at.state === "asked") continue;
        const failed = at.parts.filter((one) => one.state !== "stored" && one.text);
        if (at.state === "stored") done(number);
        for (const one of failed) toast(`Window ${number} of ${one.worker}: ${one.text}`, { kind: at.state === "stored" ? "warning" : "error" });
        if (at.state !== "stored" && !failed.length) toast(`Window ${number} could not be recorded.`, { kind: "error" });
        break;
      }
    } catch (error) {
      if (here.current) toast(error.message, { kind: "error" });
    }
    if (here.current) setAsked(null);
  };
  return html`<button type="button" class="button main" aria-disabled=${!allowed || asked ? "true" : null} title=${allowed ? "Notes every 10 ms where the code stands; the numbers of the training are the same with and without" : why} onClick=${() => allowed && !asked && start()}>
    <${Icon} name=${asked ? "running" : "play"} size=${14} /><span role="status">${asked ? (left ? `Sampling, ${left} s` : "Storing") : `Sample the next ${seconds} seconds`}</span></button>`;
}
