"use strict";
// Draws what the page carries as JSON: curves by uPlot, the heat map by hand.
window.complaints = [];
window.addEventListener("error", (e) => window.complaints.push(String(e.message)));
window.addEventListener("securitypolicyviolation", (e) => window.complaints.push(e.violatedDirective + " " + e.blockedURI));

(function () {
  const data = JSON.parse(document.getElementById("data").textContent);
  const root = document.documentElement;
  // A colour of the design system as a canvas takes it, in the theme that is shown.
  const probe = document.createElement("span");
  probe.hidden = true;
  document.body.append(probe);
  const css = (name) => {
    probe.style.color = "var(" + name + ")";
    return getComputedStyle(probe).color;
  };
  const series = 8;
  const severityColour = { error: "--error", warning: "--warning", info: "--info" };

  const dark = window.matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "dark" : "light";

  const number = (v) => {
    if (v === null || v === undefined) return "–";
    const a = Math.abs(v);
    if (a !== 0 && (a < 1e-3 || a >= 1e5)) return v.toExponential(2);
    return String(+v.toPrecision(3));
  };

  // Vertical bars where findings were made, drawn over the curves.
  function marks(findings) {
    return {
      hooks: {
        draw: (u) => {
          const ctx = u.ctx;
          for (const f of findings) {
            const x = u.valToPos(f.step, "x", true);
            if (x < u.bbox.left || x > u.bbox.left + u.bbox.width) continue;
            ctx.save();
            ctx.strokeStyle = css(severityColour[f.severity] || "--text-quiet");
            ctx.lineWidth = 2 * devicePixelRatio;
            ctx.setLineDash([6 * devicePixelRatio, 4 * devicePixelRatio]);
            ctx.beginPath();
            ctx.moveTo(x, u.bbox.top);
            ctx.lineTo(x, u.bbox.top + u.bbox.height);
            ctx.stroke();
            ctx.setLineDash([]);
            ctx.fillStyle = ctx.strokeStyle;
            ctx.font = 11 * devicePixelRatio + "px system-ui, sans-serif";
            const room = u.bbox.left + u.bbox.width - x;
            ctx.textAlign = room < 140 * devicePixelRatio ? "right" : "left";
            ctx.fillText(f.rule, x + (ctx.textAlign === "left" ? 4 : -4) * devicePixelRatio, u.bbox.top + 12 * devicePixelRatio);
            ctx.restore();
          }
        },
      },
    };
  }

  // Stretches without a finite value, behind the curves; where those of several
  // curves meet they are one.
  function shades(all) {
    const gaps = [];
    for (const [from, to] of [...all].sort((a, b) => a[0] - b[0])) {
      const last = gaps[gaps.length - 1];
      if (last && from <= last[1]) last[1] = Math.max(last[1], to);
      else gaps.push([from, to]);
    }
    return {
      hooks: {
        drawAxes: (u) => {
          const ctx = u.ctx, left = u.bbox.left, right = left + u.bbox.width;
          ctx.save();
          ctx.fillStyle = css("--error");
          ctx.globalAlpha = 0.14;
          for (const [from, to] of gaps) {
            const a = Math.max(left, u.valToPos(from, "x", true)), b = Math.min(right, u.valToPos(to, "x", true));
            const wide = Math.max(b - a, 3 * devicePixelRatio);
            if (a <= right && b >= left) ctx.fillRect(Math.min(a, right - wide), u.bbox.top, wide, u.bbox.height);
          }
          ctx.restore();
        },
      },
    };
  }

  let charts = [];

  function chart(parent, curves, findings, logScale, origin) {
    const steps = [...new Set(curves.flatMap((c) => c.steps))].sort((a, b) => a - b);
    const place = new Map(steps.map((s, i) => [s, i]));
    const timed = origin !== undefined; // steps are milliseconds since then
    const gaps = curves.flatMap((c) => c.gaps || []);
    const columns = curves.map((c) => {
      const column = new Array(steps.length).fill(undefined);
      c.steps.forEach((s, i) => { column[place.get(s)] = c.values[i]; });
      return column;
    });
    const positive = curves.every((c) => c.values.every((v) => v === null || v > 0));
    const axis = () => ({
      stroke: () => css("--chart-text"),
      grid: { stroke: () => css("--chart-grid"), width: 1 },
      ticks: { stroke: () => css("--chart-axis"), width: 1 },
    });
    const u = new uPlot({
      ms: 1,
      width: Math.min(1060, parent.clientWidth || 1060),
      height: timed ? 220 : 300,
      scales: { x: { time: timed }, y: logScale && positive ? { distr: 3 } : {} },
      axes: [axis(), Object.assign(axis(), { size: 70, values: (_, vs) => vs.map((v) => (v === null ? "" : number(v))) })],
      series: [{ label: timed ? "time" : "step" }].concat(curves.map((c, i) => ({
        label: c.name,
        stroke: () => css("--series-" + ((i % series) + 1)),
        dash: i < series ? undefined : [6, 3],
        width: 1.5,
        spanGaps: false, // null is not finite; where another curve has a step more it is undefined, and spanned
        points: { show: c.steps.length < 60 },
        value: (_, v) => number(v),
      }))),
      plugins: [shades(timed ? gaps.map((g) => g.map((s) => origin + s)) : gaps), marks(findings)],
    }, [timed ? steps.map((s) => origin + s) : steps].concat(columns), parent);
    charts.push(u);
    return u;
  }

  function drawLosses() {
    const parent = document.getElementById("losses");
    parent.textContent = "";
    if (!data.losses.length) {
      parent.textContent = "No loss was seen.";
      return;
    }
    const spread = data.losses.map((c) => c.values.filter((v) => v !== null)).flat();
    const low = Math.min(...spread), high = Math.max(...spread);
    chart(parent, data.losses, data.findings, low > 0 && high / low > 100);
  }

  function drawRates() {
    const parent = document.getElementById("rates");
    if (!parent) return;
    parent.textContent = "";
    chart(parent, data.rates, data.findings, false);
  }

  function drawMachine() {
    const section = document.getElementById("h-machine");
    if (!section) return;
    for (const kind of ["shares", "rates"]) {
      const hosts = data.machine.filter((h) => h[kind]);
      section.parentElement.querySelectorAll("." + kind).forEach((parent, i) => {
        parent.textContent = "";
        chart(parent, hosts[i][kind], [], false, hosts[i].origin);
      });
    }
  }

  // Colours of the heat maps: bright for low, dark for high.
  const stops = [0, 1, 2, 3, 4, 5, 6, 7].map((i) => css("--ramp-" + i).match(/\d+/g).map(Number));
  function colour(t) {
    const x = Math.max(0, Math.min(1, t)) * (stops.length - 1);
    const i = Math.min(stops.length - 2, Math.floor(x));
    const f = x - i;
    return stops[i].map((c, k) => Math.round(c + (stops[i + 1][k] - c) * f));
  }

  const heat = { rows: [], chosen: null, scale: null };

  function drawHeat() {
    const select = document.getElementById("stat");
    if (!select) return;
    const map = data.heat[select.selectedIndex];
    const filter = document.getElementById("filter").value.toLowerCase();
    heat.map = map;
    heat.rows = map.rows.map((r, i) => i).filter((i) => map.rows[i].name.toLowerCase().includes(filter));
    const values = heat.rows.flatMap((i) => map.rows[i].values).filter((v) => v !== null && (!map.log || v > 0));
    const f = (v) => (map.log ? Math.log10(v) : v);
    const sorted = values.map(f).sort((a, b) => a - b);
    const low = sorted.length ? sorted[Math.floor(0.01 * (sorted.length - 1))] : 0;
    const high = sorted.length ? sorted[Math.ceil(0.99 * (sorted.length - 1))] : 1;
    heat.scale = { low, high };

    const canvas = document.getElementById("heatmap");
    const rowHeight = Math.max(12, Math.min(22, Math.floor(480 / Math.max(1, heat.rows.length))));
    const labels = 300;
    const width = Math.min(1056, document.getElementById("heat").clientWidth || 1056);
    const ratio = devicePixelRatio;
    canvas.width = width * ratio;
    canvas.height = Math.max(1, heat.rows.length) * rowHeight * ratio;
    canvas.style.width = width + "px";
    canvas.style.height = Math.max(1, heat.rows.length) * rowHeight + "px";
    const ctx = canvas.getContext("2d");
    ctx.scale(ratio, ratio);
    ctx.clearRect(0, 0, width, canvas.height);
    const cell = (width - labels) / map.steps.length;
    Object.assign(heat, { rowHeight, labels, width, cell });
    ctx.font = "11px ui-monospace, monospace";
    ctx.textBaseline = "middle";
    const hole = css("--hole"), odd = css("--odd");
    heat.rows.forEach((r, y) => {
      const row = map.rows[r];
      ctx.fillStyle = css(r === heat.chosen ? "--accent" : "--text");
      let name = row.name;
      while (name.length > 4 && ctx.measureText(name).width > labels - 10) name = "…" + name.slice(4);
      ctx.fillText(name, 4, y * rowHeight + rowHeight / 2);
      row.values.forEach((v, x) => {
        if (v === null) ctx.fillStyle = hole;
        else if (map.log && v <= 0) ctx.fillStyle = odd;
        else ctx.fillStyle = "rgb(" + colour((f(v) - low) / (high - low || 1)).join(",") + ")";
        ctx.fillRect(labels + x * cell, y * rowHeight, Math.ceil(cell + 0.5), rowHeight - 1);
      });
    });
    const scale = document.getElementById("scale");
    scale.textContent = "";
    const bar = document.createElement("span");
    bar.className = "bar";
    bar.style.background = "linear-gradient(to right," + [0, 1 / 7, 2 / 7, 3 / 7, 4 / 7, 5 / 7, 6 / 7, 1].map((t) => "rgb(" + colour(t).join(",") + ")").join(",") + ")";
    const back = (v) => number(map.log ? Math.pow(10, v) : v);
    scale.append(back(low), bar, back(high) + (map.log ? " (logarithmic; magenta: zero)" : ""));
  }

  function drawLayer() {
    if (heat.chosen === null || !heat.map) return;
    const row = heat.map.rows[heat.chosen];
    document.getElementById("layer-name").textContent = row.name + ", " + heat.map.title;
    const parent = document.getElementById("layer");
    parent.textContent = "";
    const about = data.findings.filter((f) => f.subject === row.name || row.name.endsWith("/" + f.subject));
    chart(parent, [{ name: heat.map.title, steps: heat.map.steps, values: row.values }], about.length ? about : data.findings, heat.map.log);
  }

  // How the elements of the chosen tensor spread over the steps.
  const spread = { map: null };

  function drawSpread() {
    const parent = document.getElementById("spread");
    if (!parent) return;
    const row = heat.chosen === null || !heat.map ? null : heat.map.rows[heat.chosen];
    const map = row && data.hist.find((h) => h.name === row.name);
    spread.map = map;
    parent.hidden = !map;
    if (!map) return;
    document.getElementById("spread-name").textContent = map.name + ", histogram";
    const canvas = document.getElementById("spreadmap");
    const bins = map.edges.length - 1, labels = 90, ratio = devicePixelRatio;
    const width = Math.min(1056, parent.clientWidth || 1056);
    const rowHeight = Math.max(4, Math.min(16, Math.floor(320 / bins)));
    canvas.width = width * ratio;
    canvas.height = bins * rowHeight * ratio;
    canvas.style.width = width + "px";
    canvas.style.height = bins * rowHeight + "px";
    const ctx = canvas.getContext("2d");
    ctx.scale(ratio, ratio);
    const cell = (width - labels) / map.steps.length;
    Object.assign(spread, { bins, labels, rowHeight, cell });
    const hole = css("--hole");
    map.columns.forEach((column, x) => {
      for (let b = 0; b < bins; b++) {
        const level = column.charCodeAt(b) - 48;
        ctx.fillStyle = level === 0 ? hole : "rgb(" + colour(level / 63).join(",") + ")";
        ctx.fillRect(labels + x * cell, (bins - 1 - b) * rowHeight, Math.ceil(cell + 0.5), rowHeight);
      }
    });
    ctx.font = "11px ui-monospace, monospace";
    ctx.textAlign = "right";
    ctx.textBaseline = "middle";
    ctx.fillStyle = css("--text");
    for (let b = bins - 1, next = 0; b >= 0; b--) {
      const y = (bins - 1 - b) * rowHeight + rowHeight / 2;
      if (y < next) continue;
      next = y + 14;
      const zero = map.edges[b] < 0 && map.edges[b + 1] > 0;
      ctx.fillText(zero ? "0" : number(map.edges[b] < 0 ? map.edges[b] : map.edges[b + 1]), labels - 6, Math.max(6, Math.min(bins * rowHeight - 6, y)));
    }
  }

  function choose(row) {
    heat.chosen = row;
    drawHeat();
    drawLayer();
    drawSpread();
  }

  function wire() {
    const select = document.getElementById("stat");
    if (!select) return;
    for (const map of data.heat) {
      const option = document.createElement("option");
      option.textContent = map.title;
      select.append(option);
    }
    select.addEventListener("change", () => { heat.chosen = null; drawHeat(); choose(first()); });
    document.getElementById("filter").addEventListener("input", drawHeat);
    const canvas = document.getElementById("heatmap");
    const at = (e) => {
      const box = canvas.getBoundingClientRect();
      const y = Math.floor((e.clientY - box.top) / heat.rowHeight);
      const x = Math.floor((e.clientX - box.left - heat.labels) / heat.cell);
      return { row: heat.rows[y], x };
    };
    canvas.addEventListener("mousemove", (e) => {
      const { row, x } = at(e);
      if (row === undefined) return;
      const r = heat.map.rows[row];
      const where = x >= 0 && x < heat.map.steps.length ? ", step " + heat.map.steps[x] + ": " + number(r.values[x]) : "";
      document.getElementById("hover").textContent = r.name + where;
    });
    const spreadmap = document.getElementById("spreadmap");
    spreadmap.addEventListener("mousemove", (e) => {
      const box = spreadmap.getBoundingClientRect(), m = spread.map;
      const x = Math.floor((e.clientX - box.left - spread.labels) / spread.cell);
      const b = spread.bins - 1 - Math.floor((e.clientY - box.top) / spread.rowHeight);
      if (!m || x < 0 || x >= m.steps.length || b < 0 || b >= spread.bins) return;
      const share = Math.pow((m.columns[x].charCodeAt(b) - 48) / 63, 2);
      document.getElementById("spread-hover").textContent = "Step " + m.steps[x] + ", " + number(m.edges[b]) + " to " + number(m.edges[b + 1]) + ": about " + number(100 * share) + " %";
    });
    canvas.addEventListener("click", (e) => { const { row } = at(e); if (row !== undefined) choose(row); });
    canvas.addEventListener("keydown", (e) => {
      const i = heat.rows.indexOf(heat.chosen);
      if (e.key === "ArrowDown" && i + 1 < heat.rows.length) choose(heat.rows[i + 1]);
      else if (e.key === "ArrowUp" && i > 0) choose(heat.rows[i - 1]);
      else return;
      e.preventDefault();
    });
  }

  // The row a finding is about, else the first.
  function first() {
    const map = data.heat[document.getElementById("stat").selectedIndex];
    const subjects = data.findings.map((f) => f.subject);
    const i = map.rows.findIndex((r) => subjects.includes(r.name));
    return i >= 0 ? i : 0;
  }

  function drawAll() {
    charts.forEach((u) => u.destroy());
    charts = [];
    drawLosses();
    drawRates();
    drawMachine();
    drawHeat();
    drawLayer();
    drawSpread();
  }

  wire();
  drawAll();
  if (document.getElementById("stat") && data.heat.length) choose(first());
  document.getElementById("theme").addEventListener("click", () => {
    root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark";
    drawAll();
  });
  window.addEventListener("resize", drawAll);
  root.dataset.ready = "yes";
})();
