// Search in names: every word must occur, the letters of a word stand together, capitals do not matter. Fast enough for 10,000 names at each key.

// matcher makes a test of a text: matcher("conv wei")("model.conv1.weight") is true. "" matches all; /.../ is a regular expression.
export function matcher(query) {
  const regular = /^\/(.+)\/$/.exec(query.trim());
  if (regular) {
    try {
      const expression = new RegExp(regular[1], "iu");
      return (text) => expression.test(text);
    } catch {
      return () => false;
    }
  }
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return (text) => {
    const lower = text.toLowerCase();
    return words.every((word) => lower.includes(word));
  };
}

// ranked gives what matches, best first: matches at the start of a name or of one of its parts before those within.
export function ranked(query, list, text = (one) => one, most = 50) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.length) return list.slice(0, most);
  const found = [];
  for (const one of list) {
    const lower = text(one).toLowerCase();
    let score = 0;
    for (const word of words) {
      const at = lower.indexOf(word);
      if (at < 0) {
        score = -1;
        break;
      }
      score += at === 0 ? 3 : /[^\p{L}\p{N}]/u.test(lower[at - 1]) ? 2 : 1;
    }
    if (score >= 0) found.push({ one, score: score - lower.length / 1000 });
  }
  return found.sort((a, b) => b.score - a.score).slice(0, most).map(({ one }) => one);
}
