// The charts of a node. Each has its menu of what it shows; the address holds what was chosen.
import { html, useMemo } from "../../vendor/preact.js";
import { Menu } from "../../parts/menu.js";
import { Labels } from "./labels.js";
import { MetricChart } from "./metric-chart.js";

const numbered = (names, pattern) => names.map((name) => pattern.exec(name)?.[1]).filter((one) => one !== undefined);

// chosen is what the address says of a menu, else what it starts with.
const chosen = (route, key, base) => (route.all(key).length ? route.all(key).flatMap((one) => one.split(",")).filter(Boolean) : base);

export function Charts({ run, route, host, frame, marks, pauses, every }) {
  const names = host.names;
  const has = (name) => names.includes(name);
  const cores = useMemo(() => numbered(names, /^cpu\/(\d+)$/), [names]);
  const gpus = useMemo(() => numbered(names, /^gpu\/(\d+)\/utilization$/), [names]);
  const disks = names.some((name) => /^disk\/[^/]+\/read_per_s$/.test(name));
  const shared = { run, host: host.name, frame, marks, pauses, every };
  const set = (key, base) => (list) => route.set({ [key]: !list.length ? "none" : list.join() === base.join() ? null : list.join() });

  const cpuBase = ["mean", "wait"];
  const cpu = chosen(route, "cpu", cpuBase);
  const cpuMetrics = [
    cpu.includes("mean") && { name: "cpu/total", label: cores.length > 1 ? `CPU, mean of ${cores.length} cores` : "CPU", colour: "--series-1" },
    cpu.includes("wait") && has("iowait/total") && { name: "iowait/total", label: "I/O wait", colour: "--series-2" },
    ...cores.filter((one) => cpu.includes(one)).map((one) => ({ name: `cpu/${one}`, label: `core ${one}`, colour: Number(one) + 2 })),
  ].filter(Boolean).slice(0, 64);

  const gpuBase = ["mean"];
  const gpu = chosen(route, "gpu", gpuBase);
  const ofGPUs = (suffix, mean) => [
    gpu.includes("mean") && { name: `gpu/*/${suffix}`, label: gpus.length > 1 ? `${mean}, mean of ${gpus.length}` : mean, colour: "--series-3" },
    ...gpus.filter((one) => gpu.includes(one)).map((one) => ({ name: `gpu/${one}/${suffix}`, label: `GPU ${one}`, colour: Number(one) + 3 })),
  ].filter(Boolean).slice(0, 64);
  const gpuMenu = gpus.length > 1 && html`<${Labels} name="GPUs" base=${gpuBase} chosen=${gpu} set=${set("gpu", gpuBase)} all=${[{ id: "mean", label: "Mean" }, ...gpus.map((one) => ({ id: one, label: `GPU ${one}` }))]} />`;

  const more = chosen(route, "more", []).filter(has);
  const pick = (name) => route.push({ more: (more.includes(name) ? more.filter((one) => one !== name) : [...more, name]).join() });
  return html`
    <${MetricChart} ...${shared} title="CPU" percent metrics=${cpuMetrics} empty="Nothing is chosen, or the use of the cores was not sampled in this time.">
      <${Labels} name="Cores" base=${cpuBase} chosen=${cpu} set=${set("cpu", cpuBase)} all=${[{ id: "mean", label: "Mean of the cores" }, { id: "wait", label: "I/O wait" }, ...(cores.length > 1 ? cores : []).map((one) => ({ id: one, label: `core ${one}` }))]} /><//>
    ${gpus.length > 0 && html`<${MetricChart} ...${shared} title="GPU" percent metrics=${ofGPUs("utilization", "GPU")}>${gpuMenu}<//>
      <${MetricChart} ...${shared} title="GPU memory" percent metrics=${ofGPUs("memory_percent", "GPU memory")}>${gpuMenu}<//>`}
    <${MetricChart} ...${shared} title="CPU memory" percent metrics=${memory} />
    <${MetricChart} ...${shared} title="Network" metrics=${network} />
    ${disks && html`<${MetricChart} ...${shared} title="Disks" metrics=${disk} />`}
    ${more.map((name) => html`<${MetricChart} key=${name} ...${shared} title=${name} percent=${host.units[name] === "%" && !name.startsWith("process/") && !name.startsWith("job/")} metrics=${[{ name, label: name, colour: "--series-6" }]}>
      <button type="button" class="button plain small" onClick=${() => pick(name)}>Remove</button><//>`)}
    <div class="machine-more"><${Menu} label="Another metric" icon="plus" align="start" button="small" items=${others(names, more, pick)} />
      ${!gpus.length && html`<span class="faint small">No GPU was sampled. <code>vigil doctor</code> says whether one is seen.</span>`}</div>`;
}

const memory = [{ name: "memory/used_percent", label: "Memory of the machine", colour: "--series-4" }];
const network = [{ name: "net/received_per_s", label: "received", colour: "--series-1" }, { name: "net/sent_per_s", label: "sent", colour: "--series-2" }];
const disk = [{ name: "disk/*/read_per_s", label: "read, all disks", colour: "--series-5" }, { name: "disk/*/write_per_s", label: "written, all disks", colour: "--series-7" }];

// others are the metrics that have no chart of their own, by family.
function others(names, more, pick) {
  const own = /^(cpu|iowait)\/|^gpu\/\d+\/(utilization|memory_percent)$|^memory\/used_percent$|^net\/(received|sent)_per_s$/;
  const items = [];
  let family = "";
  for (const name of names) {
    if (own.test(name)) continue;
    const of = name.split("/")[0];
    if (of !== family) items.push({ heading: family = of });
    items.push({ label: name, checked: more.includes(name), keep: true, run: () => pick(name) });
  }
  return items;
}
