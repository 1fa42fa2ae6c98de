// The pages; root: of no run. Each is loaded when it is first shown: pages/NAME/index.js exports the component as Page.
export const pages = {
  runs: { title: "Runs", load: () => import("../pages/runs/index.js") },
  overview: { title: "Overview", key: "o", load: () => import("../pages/overview/index.js") },
  curves: { title: "Curves", key: "c", root: true, load: () => import("../pages/curves/index.js") },
  tensors: { title: "Tensors", key: "t", load: () => import("../pages/tensors/index.js") },
  findings: { title: "Findings", key: "f", load: () => import("../pages/findings/index.js") },
  machine: { title: "Machine", key: "m", load: () => import("../pages/machine/index.js") },
  time: { title: "Time", key: "s", load: () => import("../pages/time/index.js") },
  best: { title: "Best run", root: true, load: () => import("../pages/best/index.js") },
  rules: { title: "Rules", root: true, load: () => import("../pages/rules/index.js") },
  controls: { title: "Controls", key: "l", load: () => import("../pages/controls/index.js") },
};
