// Whether an element is on the screen or near it. What is far away is not drawn and keeps no canvas.
import { useLayoutEffect, useRef, useState } from "../vendor/preact.js";

const watched = new WeakMap();
let observer = null;

// useShown gives a ref and whether its element is within 400 pixels of the window: const [ref, shown] = useShown().
export function useShown() {
  const ref = useRef(null);
  const [shown, set] = useState(false);
  useLayoutEffect(() => {
    observer ??= new IntersectionObserver((entries) => {
      for (const entry of entries) watched.get(entry.target)?.(entry.isIntersecting);
    }, { rootMargin: "400px 0px" });
    const element = ref.current;
    watched.set(element, set);
    observer.observe(element);
    return () => {
      observer.unobserve(element);
      watched.delete(element);
    };
  }, []);
  return [ref, shown];
}
