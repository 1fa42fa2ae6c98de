// Names of series as the server takes them: TENSOR|STAT|MODE|WORKER, each part
// escaped, and as people read them.

const unescaped = (part) => {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
};

export const written = ({ tensor, stat = "", mode = "", worker = "" }) => [tensor, stat, mode, worker].map(encodeURIComponent).join("|");

export function read(s) {
  const [tensor = "", stat = "", mode = "", worker = ""] = s.split("|").map(unescaped);
  return { tensor, stat: stat === "value" ? "" : stat, mode, worker };
}

// title is what stands over a chart: the tensor, and the statistic where it has one.
export const title = ({ tensor, stat }) => (stat ? `${tensor} · ${stat}` : tensor);

// headed gives the charts of a group headings without what that of the group says: {stat, charts}.
export function headed(name, charts) {
  const stat = charts.every((c) => c.stat === charts[0].stat) ? charts[0].stat : "";
  const prefix = name === "training" ? "training/" : name === "collection gradients" ? "gradient/" : "";
  const plain = (tensor) => (prefix && tensor.startsWith(prefix) ? tensor.slice(prefix.length) : tensor);
  return { stat, charts: charts.map((c) => ({ ...c, heading: title({ tensor: plain(c.tensor), stat: stat ? "" : c.stat }) })) };
}

// chartKey names the chart of a series: all modes and workers share one.
export const chartKey = ({ tensor, stat = "" }) => [tensor, stat].map(encodeURIComponent).join("|");

// found finds what a name in an expression means: a chart's title, a tensor, or
// TENSOR|STAT|MODE|WORKER with parts left out at the end. A statistic need not be the
// one that is shown of its tensor. known maps titles to series.
export function found(name, known) {
  const exact = known.get(name);
  if (exact) return exact;
  const [tensor, stat] = name.split(" · ");
  const asked = name.includes("|") ? read(name) : { tensor, stat };
  if (!asked.stat && !name.includes("|")) return null;
  const base = known.get(title(asked)) ?? (asked.stat && [...known.values()].find((one) => one.stat && one.tensor === asked.tensor));
  return base ? { ...base, ...asked } : null;
}
