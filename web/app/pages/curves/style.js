// How a run's line looks: what was set for it, or the next colour of the palette.

import { seriesToken } from "../../core/theme.js";

const dashes = { solid: [], dashed: [6, 3], dotted: [2, 3] };

// read gives {colour, dash} of what is set: a colour (a number of the palette,
// "series-3", or one in hexadecimal), and after it maybe the kind of line: "3 dashed".
export function read(set, place) {
  const [first = "", second = ""] = typeof set === "string" ? set.trim().split(/\s+/) : set ? [String(set.colour ?? ""), String(set.line ?? set.dash ?? "")] : [];
  const number = /^(?:--)?(?:series-)?([1-8])$/.exec(first);
  const colour = number ? seriesToken(number[1] - 1) : /^#[0-9a-f]{3,8}$/i.test(first) ? first : seriesToken(place);
  const own = dashes[second] ?? dashes[first];
  return { colour, dash: own ?? (set ? [] : (Object.values(dashes)[Math.floor(place / 8) % 3])) };
}
