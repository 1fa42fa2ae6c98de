// Statistics in the words of the page; what is not named here is a number that a rule asked for, under its key.
export const statistics = {
  value: "value", min: "minimum", max: "maximum", mean: "mean", std: "standard deviation", variance: "variance", abs_mean: "mean magnitude", abs_max: "largest magnitude",
  l1: "L1 norm", l2: "L2 norm", sum: "sum", count: "elements", zeros: "zeros", nan: "NaN", inf: "infinite", posinf: "positive infinite", neginf: "negative infinite", median: "median",
};
// modes are the modes of steps in words.
export const modes = { TRAIN: "training", EVAL: "evaluation", PREDICT: "prediction", GLOBAL: "any mode" };
export const modeWord = (mode) => modes[mode] ?? mode;

export const statName = (key) => statistics[key] ?? key;

// called is a series in words: "mean magnitude of the gradient of fc1.weight". Of a statistic with settings, such as "units[channel,above=0].dead", these are left out.
export function called({ name, words = name, stat }) {
  if (stat === "value") return words;
  const what = statistics[stat] ?? stat.replace(/\[[^\]]*\]\.?/g, " ").replaceAll("_", " ").trim();
  return `${what} of ${words !== name && words.includes(" of ") ? "the " : ""}${words}`;
}

// calledTogether are {title, labels} of several series: the statistic is in the title alone, where all have the same.
export function calledTogether(list) {
  if (list.length === 1) return { title: sentence(called(list[0]), list[0]), labels: list.map(called) };
  const names = list.map(({ name, words = name }) => words);
  const all = `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
  const what = list[0].stat;
  if (list.every(({ name, stat }) => name === list[0].name && stat === what)) {
    return { title: sentence(called(list[0]), list[0]), labels: list.map(({ mode }) => modeWord(mode)) };
  }
  if (list.some(({ stat }) => stat !== what) || what === "value" || !statistics[what]) return { title: sentence(all, list[0]), labels: list.map(called) };
  return { title: `${sentence(statistics[what])}: ${all}`, labels: names };
}

// sentence begins a title with a capital, which names keep as they are.
const sentence = (text, one = null) => (one && text.startsWith(one.name) ? text : text[0].toUpperCase() + text.slice(1));
