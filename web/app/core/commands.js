// What the command palette (Ctrl-K) can do. A page adds its own while it is shown.
import { signal, useEffect } from "../vendor/preact.js";

export const commands = signal([]);

// provide adds commands and answers how to take them back. A command is {title, group, keys, hint, run | href}.
export function provide(list) {
  commands.value = [...commands.peek(), ...list];
  return () => {
    commands.value = commands.peek().filter((one) => !list.includes(one));
  };
}

// useCommands provides commands as long as a component is shown. deps say when they are made again.
export const useCommands = (make, deps = []) => useEffect(() => provide(make()), deps);
