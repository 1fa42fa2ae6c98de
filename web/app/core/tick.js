// Work that is done once per animation frame. In a hidden tab there are no frames: there it is done a few times a second.
import { batch } from "../vendor/preact.js";

let waiting = new Set();
let scheduled = false;

// nextFrame calls work in the next frame, once, however often it was asked for.
export function nextFrame(work) {
  waiting.add(work);
  if (scheduled) return;
  scheduled = true;
  if (document.hidden) setTimeout(run, 250);
  else requestAnimationFrame(run);
}

// forget takes back what nextFrame was asked for.
export const forget = (work) => waiting.delete(work);

function run() {
  const now = waiting;
  waiting = new Set();
  scheduled = false;
  batch(() => {
    for (const work of now) {
      try {
        work();
      } catch (error) {
        console.error(error);
      }
    }
  });
}

// A frame that was asked for before the tab was hidden would come only when the tab is shown again.
document.addEventListener("visibilitychange", () => {
  if (document.hidden && scheduled) setTimeout(run, 0);
});
