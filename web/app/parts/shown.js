// Whether an element is on the screen or near it. What is far away is not drawn and keeps no canvas.
import { effect, useEffect, useLayoutEffect, useRef, useState } from "../vendor/preact.js";
import { forget, nextFrame } from "../core/tick.js";

const watched = new WeakMap();
let observer = null;
const near = 200;

// useShown gives a ref and whether its element is within 200 pixels of the window: const [ref, shown] = useShown().
export function useShown() {
  const ref = useRef(null);
  const [shown, set] = useState(false);
  useLayoutEffect(() => {
    observer ??= new IntersectionObserver((entries) => {
      for (const entry of entries) watched.get(entry.target)?.(entry.isIntersecting);
    }, { rootMargin: `${near}px 0px` });
    const element = ref.current;
    watched.set(element, set);
    observer.observe(element);
    // What is in sight from the beginning is drawn at once; the observer tells it a frame later.
    const { top, bottom, width, height } = element.getBoundingClientRect();
    if (width + height > 0 && bottom > -near && top < innerHeight + near) set(true);
    return () => {
      observer.unobserve(element);
      watched.delete(element);
    };
  }, []);
  return [ref, shown];
}

let moving = 0;
const calm = () => Math.min(500, 100 + 25 * moving);

// useCalm is the value of a signal while it is shown: ten times a second, and less often the more of them are on the screen, so that many charts stay cheap.
export function useCalm(live, shown) {
  const [value, set] = useState(() => live?.peek() ?? 0);
  useEffect(() => {
    if (!live || !shown) return undefined;
    let timer = 0;
    let last = -Infinity;
    moving++;
    const stop = effect(() => {
      live.value;
      if (timer) return;
      timer = setTimeout(() => {
        timer = 0;
        last = performance.now();
        nextFrame(take);
      }, Math.max(0, last + calm() - performance.now()));
    });
    const take = () => set(live.peek());
    return () => {
      moving--;
      stop();
      clearTimeout(timer);
      forget(take);
    };
  }, [live, shown]);
  return value;
}
