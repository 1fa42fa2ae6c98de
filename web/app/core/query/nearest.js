// What someone may have meant: the name that differs least.

// nearest is the name nearest to a word, or "" where none is near.
export function nearest(word, names) {
  const lower = word.toLowerCase();
  let best = "";
  let least = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const name of names.slice(0, 2000)) {
    const other = name.toLowerCase();
    if (Math.abs(other.length - lower.length) >= least) continue;
    const far = distance(lower, other);
    if (far < least) [best, least] = [name, far];
  }
  return best;
}

// distance counts the letters that are different, missing, too many or swapped.
function distance(a, b) {
  let [before, last] = [[], [...Array(b.length + 1).keys()]];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      row[j] = Math.min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) row[j] = Math.min(row[j], before[j - 2] + 1);
    }
    [before, last] = [last, row];
  }
  return last[b.length];
}
