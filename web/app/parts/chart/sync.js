// Charts of one group share the cursor: where it is in one, it is in all that are on the screen.
import { nextFrame } from "../../core/tick.js";

const groups = new Map();

// join makes a plot a member of a group; the answer ends it.
export function join(name, plot) {
  if (!groups.has(name)) groups.set(name, { members: new Set(), x: null, from: null });
  const group = groups.get(name);
  group.members.add(plot);
  return () => {
    group.members.delete(plot);
    if (!group.members.size) groups.delete(name);
  };
}

// tell has the others of the group follow, once per frame.
export function tell(name, from, x) {
  const group = groups.get(name);
  if (!group || (group.x === x && group.from === from)) return;
  group.x = x;
  group.from = from;
  group.work ??= () => {
    for (const plot of group.members) if (plot !== group.from) plot.follow(group.x);
  };
  nextFrame(group.work);
}
