// Bars that stand on each other, as series of a chart: one for each part of a step.

// stacked makes series of parts [{name, word}] over bars from x[i] to ends[i]; value(name, i) is the height of a part. The last one is on top.
export function stacked(parts, x, ends, value) {
  const foot = new Float64Array(x.length);
  return parts.map((part) => {
    const base = Float64Array.from(foot);
    for (let i = 0; i < foot.length; i++) foot[i] += value(part.name, i);
    return { label: part.word, kind: "bars", unit: "s", x: Float64Array.from(x), xLast: Float64Array.from(ends), y: Float64Array.from(foot), base, colour: `--part-${part.name}`, dash: [], raw: true };
  });
}
