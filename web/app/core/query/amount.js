// Numbers of a query with their units: 0.5, 1e-3, 20%, 5k, 90s, 2h, 7d, 2026-11-20.

const factors = { k: 1e3, m: 1e6, g: 1e9, t: 1e12 };
const lengths = { ms: 1e-3, s: 1, sec: 1, m: 60, min: 60, h: 3600, d: 86400, w: 7 * 86400 };
const plain = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?/i;

// amount is the number that a text stands for, or null. A time is {age: seconds} or {span: [from, to]} in seconds since 1970.
export function amount(text, type) {
  text = text.trim();
  if (type === "time") return instant(text);
  const special = /^([+-]?)(?:(nan)|(inf(?:inity)?))$/i.exec(text);
  if (special) return special[2] ? NaN : special[1] === "-" ? -Infinity : Infinity;
  const found = plain.exec(text);
  if (!found) return null;
  const value = Number(found[0]);
  const unit = text.slice(found[0].length).trim().toLowerCase();
  if (unit === "") return value;
  if (unit === "%") return value / 100;
  if (type === "duration") return unit in lengths ? value * lengths[unit] : null;
  return unit in factors ? value * factors[unit] : null;
}

// instant reads a date, a time of a day, or an age; of what is written without seconds the whole minute, hour or day is meant.
function instant(text) {
  const age = amount(text, "duration");
  if (age !== null && /[a-z]$/i.test(text)) return { age };
  if (/^today$/i.test(text)) return day(new Date());
  if (/^yesterday$/i.test(text)) return day(new Date(Date.now() - 86400e3));
  const found = /^(\d{4})-(\d{1,2})(?:-(\d{1,2})(?:[T ](\d{1,2})(?::(\d{2})(?::(\d{2}))?)?)?)?$/.exec(text);
  if (!found) return null;
  const [year, month, date, hour, minute, second] = found.slice(1).map((part) => (part === undefined ? undefined : Number(part)));
  if (month < 1 || month > 12 || date === 0 || date > 31 || hour > 24 || minute > 59) return null;
  const from = new Date(year, month - 1, date ?? 1, hour ?? 0, minute ?? 0, second ?? 0);
  const to = new Date(from);
  if (date === undefined) to.setMonth(to.getMonth() + 1);
  else if (hour === undefined) to.setDate(to.getDate() + 1);
  else if (minute === undefined) to.setHours(to.getHours() + 1);
  else if (second === undefined) to.setMinutes(to.getMinutes() + 1);
  else to.setSeconds(to.getSeconds() + 1);
  return { span: [from / 1000, to / 1000] };
}

function day(at) {
  const from = new Date(at.getFullYear(), at.getMonth(), at.getDate());
  const to = new Date(at.getFullYear(), at.getMonth(), at.getDate() + 1);
  return { span: [from / 1000, to / 1000] };
}
