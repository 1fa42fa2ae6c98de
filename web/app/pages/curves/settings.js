// All that is set on the page is in its address.

export const axes = [
  { name: "step", label: "Step" },
  { name: "time", label: "Time" },
  { name: "relative", label: "Relative" },
  { name: "epoch", label: "Epoch" },
];

export const noBand = "none";

const listed = (text) => text.split(",").filter(Boolean).map(unescaped);
const unescaped = (text) => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

// namesOf and joined are the list of runs in the address: a comma between names,
// those within a name escaped.
export const namesOf = (route, key) => [...new Set(route.all(key).flatMap(listed))];
export const joined = (names) => [...names].map((name) => name.replace(/[%,]/g, encodeURIComponent)).join(",");

const finite = (text) => (text !== "" && Number.isFinite(Number(text)) ? Number(text) : null);

// read takes the settings out of the address.
export function read(route) {
  const axis = route.get("axis", "step");
  const [from, to] = [finite(route.get("from")), finite(route.get("to"))];
  return {
    search: route.get("q"),
    smoothing: Math.min(0.999, Math.max(0, finite(route.get("smooth")) ?? 0)),
    axis: axes.some((a) => a.name === axis) ? axis : "step",
    logX: route.get("logx") === "1",
    logY: route.get("logy") === "1",
    oneRange: route.get("same") === "1",
    // Of several runs one that diverged would flatten all others.
    outliers: route.get("outliers") ? route.get("outliers") !== "0" : namesOf(route, "runs").length < 2,
    zoom: from !== null && to !== null && from < to ? [from, to] : null,
    hidden: new Set(namesOf(route, "hidden")),
    picked: route.get("pick"),
    group: route.get("group"),
    band: route.get("band", "range"),
    singles: route.get("singles") !== "0",
    statistics: namesOf(route, "stats"),
    closed: new Set(namesOf(route, "closed")),
    open: new Set(namesOf(route, "open")),
    large: route.get("chart"),
    own: route.all("own"),
  };
}

// changed turns changes of settings into those of the address.
export function changed(changes) {
  const out = {};
  for (const [key, value] of Object.entries(changes)) {
    switch (key) {
      case "search": out.q = value; break;
      case "smoothing": out.smooth = value || ""; break;
      case "axis": Object.assign(out, { axis: value === "step" ? "" : value, from: "", to: "" }); break;
      case "logX": out.logx = value; break;
      case "logY": out.logy = value; break;
      case "oneRange": out.same = value; break;
      case "outliers": out.outliers = value ? "1" : "0"; break;
      case "zoom": Object.assign(out, value ? { from: exact(value[0]), to: exact(value[1]) } : { from: "", to: "" }); break;
      case "picked": out.pick = value; break;
      case "band": out.band = value === "range" ? "" : value; break;
      case "singles": out.singles = value ? "" : "0"; break;
      case "statistics": out.stats = joined(value); break;
      case "large": out.chart = value; break;
      case "hidden": case "closed": case "open": out[key] = joined(value); break;
      default: out[key] = value;
    }
  }
  return out;
}

const exact = (value) => String(Number(value.toPrecision(12)));
