// How numbers, times and sizes are written. Every figure on the screen goes through here.
const minus = "\u2212";
const nothing = "\u2013";
const plain = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

const absent = (value) => value === null || value === undefined || value === "";
const signed = (text) => text.replace(/^-/, minus).replace(/e-/, `e${minus}`);

// number writes a value with so many significant digits: 0.4213, 12.3, 1,234,567, 3.2e-7.
export function number(value, digits = 4) {
  if (absent(value)) return nothing;
  if (typeof value === "string") return value;
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "Inf" : `${minus}Inf`;
  const size = Math.abs(value);
  if (size === 0) return "0";
  if (size >= 1e9 || size < 1e-4) return signed(shorter(value.toExponential(digits - 1)));
  if (Number.isInteger(value) || size >= 10 ** digits) return signed(plain.format(value));
  return signed(shorter(value.toPrecision(digits)));
}

// shorter drops zeros at the end of the digits; those of an exponent stay.
function shorter(text) {
  const [digits, exponent] = text.replace("e+", "e").split("e");
  const kept = digits.includes(".") ? digits.replace(/\.?0+$/, "") : digits;
  return exponent === undefined ? kept : `${kept}e${exponent}`;
}

// count writes a whole number: 12,345.
export const count = (value) => (absent(value) ? nothing : signed(plain.format(value)));

// compact writes a large number in little room: 950, 12.3 k, 1.2 M.
export function compact(value) {
  if (absent(value)) return nothing;
  const size = Math.abs(value);
  for (const [unit, name] of [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]]) {
    if (size >= unit * 0.99995) return `${signed(shorter((value / unit).toPrecision(3)))} ${name}`;
  }
  return number(value, 3);
}

// bytes writes a size: 512 B, 3.4 MB, 15.6 GB (powers of 1,000).
export function bytes(value) {
  if (absent(value)) return nothing;
  const size = Math.abs(value);
  for (const [unit, name] of [[1e12, "TB"], [1e9, "GB"], [1e6, "MB"], [1e3, "kB"]]) {
    if (size >= unit * 0.9995) return `${signed(shorter((value / unit).toPrecision(3)))} ${name}`;
  }
  return `${signed(plain.format(value))} B`;
}

// duration writes seconds: 0.42 ms, 850 ms, 4.2 s, 3 min 12 s, 2 h 05 min, 3 d 4 h.
export function duration(seconds) {
  if (absent(seconds) || Number.isNaN(seconds)) return nothing;
  const size = Math.abs(seconds);
  const sign = seconds < 0 ? minus : "";
  if (size === 0) return "0 s";
  if (size < 0.9995e-3) return `${sign}${shorter((size * 1e6).toPrecision(3))} \u00b5s`;
  if (size < 0.9995) return `${sign}${shorter((size * 1e3).toPrecision(3))} ms`;
  if (size < 59.95) return `${sign}${shorter(size.toPrecision(3))} s`;
  const whole = Math.round(size);
  if (whole < 3600) return sign + pair(Math.floor(whole / 60), "min", whole % 60, "s");
  const minutes = Math.round(size / 60);
  if (minutes < 48 * 60) return sign + pair(Math.floor(minutes / 60), "h", minutes % 60, "min");
  const hours = Math.round(size / 3600);
  return sign + pair(Math.floor(hours / 24), "d", hours % 24, "h");
}

const pair = (large, unit, small, part) => (small ? `${large} ${unit} ${part === "h" ? small : String(small).padStart(2, "0")} ${part}` : `${large} ${unit}`);

// percent writes a share (0..1): 0.3 %, 42 %.
export function percent(share) {
  if (absent(share) || Number.isNaN(share)) return nothing;
  const value = share * 100;
  const size = Math.abs(value);
  return `${signed(size === 0 || size >= 10 ? value.toFixed(0) : size < 0.1 ? value.toPrecision(1) : value.toFixed(1))} %`;
}

const two = (value) => String(value).padStart(2, "0");
const date = (value) => (value instanceof Date ? value : new Date(typeof value === "number" ? value * 1000 : value));

// clock is the time of day in the reader's zone: 14:03:21.
export function clock(value) {
  const at = date(value);
  return absent(value) || isNaN(at) ? nothing : `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}

// time is a date with the time of day: 2026-11-26 14:03:21.
export function time(value) {
  const at = date(value);
  return absent(value) || isNaN(at) ? nothing : `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${clock(at)}`;
}

// ago is a time as a distance: just now, 3 min ago, yesterday.
export function ago(value, now = Date.now()) {
  const at = date(value);
  if (absent(value) || isNaN(at)) return nothing;
  const seconds = Math.round((now - at) / 1000);
  if (seconds < 0) return time(at);
  if (seconds < 10) return "just now";
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86400) return `${Math.floor(seconds / 3600)} h ago`;
  if (seconds < 7 * 86400) return `${Math.floor(seconds / 86400)} d ago`;
  return time(at).slice(0, 10);
}

// several writes a number with its word: 1 step, 12 steps. write: how the number is written, where not as a count.
export const several = (value, one, more = `${one}s`, write = count) => `${write(value)} ${value === 1 ? one : more}`;

// withUnit writes a value of a series that has a unit.
export function withUnit(value, unit, digits) {
  if (typeof value === "number" && Number.isFinite(value)) {
    if (unit === "bytes" || unit === "B") return bytes(value);
    if (unit === "bytes/s" || unit === "B/s") return `${bytes(value)}/s`;
    if (unit === "s" || unit === "seconds") return duration(value);
    if (unit === "percent" || unit === "%") return `${number(value, 3)} %`;
  }
  return unit && !absent(value) && !["bytes", "B", "bytes/s", "B/s", "s", "seconds", "percent", "%"].includes(unit) ? `${number(value, digits)} ${unit}` : number(value, digits);
}
