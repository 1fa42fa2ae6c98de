// Findings and checkpoints as marks of a chart, on any of its axes.

const most = 400;

// place gives a function from a mark {update, time, epoch} to its x, NaN where that is
// not known.
export function places(axis, { started = null } = {}) {
  const seconds = (mark) => (mark.time ? Date.parse(mark.time) / 1000 : NaN);
  switch (axis) {
    case "time":
      return seconds;
    case "relative": {
      const origin = started ? Date.parse(started) / 1000 : NaN;
      return (mark) => seconds(mark) - origin;
    }
    case "epoch":
      return (mark) => mark.epoch;
  }
  return (mark) => mark.update;
}

// marksOf are the marks of a chart: the findings about its tensors and about the
// whole run, and the checkpoints. open(id) shows a finding.
export function marksOf({ marks = [], checkpoints = [] }, { axis, started, subjects, open }) {
  const at = places(axis, { started });
  const out = [];
  const about = new Set(subjects);
  for (const m of marks) {
    const own = about.has(m.subject) || about.has(`gradient/${m.subject}`);
    if (m.subject && !own && !wholeRun(m, about)) continue;
    out.push({ x: at(m), kind: "finding", severity: m.severity, title: m.title, href: () => open(m.id) });
  }
  for (const c of checkpoints) out.push({ x: at({ update: c.step, time: c.time, epoch: c.epoch }), kind: "checkpoint", title: `Checkpoint after step ${c.step}` });
  return out.filter((m) => Number.isFinite(m.x)).sort((a, b) => a.x - b.x).slice(0, most);
}

// wholeRun reports whether a finding about one series is shown on losses as well: what
// happened to a tensor explains the course of the loss.
const wholeRun = (mark, about) => about.has("loss") && mark.severity === "error";
