// The figures next to the chart: typical and long steps, how often which length came, and the steps that took longest.
import { html, useMemo } from "../../vendor/preact.js";
import { number, numbers } from "../../core/api.js";
import * as format from "../../core/format.js";

const few = 7;

export function Lengths({ run, route, data, zoom }) {
  const outliers = data.outliers.length + data.more_outliers;
  return html`<aside class="lengths" aria-label="Figures of the steps">
    <dl class="facts">
      <dt>Typical</dt><dd class="n">${format.duration(number(data.typical))}</dd>
      <dt>99th percentile</dt><dd class="n">${format.duration(number(data.p99))}</dd>
      <dt>Shortest</dt><dd class="n">${format.duration(number(data.shortest))}</dd>
      <dt>Longest</dt><dd class="n">${format.duration(number(data.longest))}</dd>
    </dl>
    <${Bins} data=${data.histogram} typical=${number(data.typical)} />
    <h3>${outliers ? `${format.several(outliers, "step")} took 3 times the median or longer` : "No step took 3 times the median"}</h3>
    ${outliers > 0 && html`<table class="plain long-steps"><thead><tr><th scope="col">Step</th><th scope="col" class="n">Time</th><th scope="col" class="n">Typical</th><th scope="col"><span class="sr">Go to</span></th></tr></thead>
      <tbody>${data.outliers.slice(0, few).map((one) => html`<tr key=${one.step}><th scope="row"><button type="button" class="button plain small" title="Zoom in on it" onClick=${() => zoom([Math.max(0, one.step - 25), one.step + 25])}>${format.count(one.step)}</button></th>
        <td class="n">${format.duration(number(one.seconds))}</td><td class="n">× ${format.number(number(one.times), 3)}</td><td class="n"><a href=${route.to(run.name, "machine", around(one))} title="What the machine did then">machine</a></td></tr>`)}</tbody></table>
      ${outliers > few && html`<p class="faint small">the longest ${few} of ${format.count(outliers)}</p>`}`}
  </aside>`;
}

// around is the time frame of the machine page in which a step is seen.
function around(one) {
  const end = Date.parse(one.time) / 1000;
  const room = Math.max(5, number(one.seconds) * 2);
  const three = (value) => Math.round(value * 1000) / 1000;
  return { from: three(end - number(one.seconds) - room), to: three(end + room) };
}

// Bins is how many steps took how long: a bar each, the height is the root of the count, so that few long steps are seen next to many.
function Bins({ data, typical }) {
  const edges = useMemo(() => numbers(data.edges), [data]);
  const counts = useMemo(() => numbers(data.counts), [data]);
  if (counts.length < 2) return null;
  const most = Math.max(...counts);
  const at = (i) => `${format.duration(edges[i])} to ${format.duration(edges[i + 1])}`;
  const height = (count) => (node) => node?.style.setProperty("height", `${count ? Math.max(3, 100 * Math.sqrt(count / most)) : 0}%`);
  const total = counts.reduce((sum, one) => sum + one, 0);
  const main = counts.indexOf(most);
  return html`<figure class="bins">
    <figcaption><h3>Distribution of the lengths</h3></figcaption>
    <div class="bins-bars" role="img" aria-label=${`${format.percent(most / total)} of the steps took ${at(main)}; the shortest ${format.duration(edges[0])}, the longest ${format.duration(edges.at(-1))}`}>
      ${[...counts].map((count, i) => html`<span key=${i} class=${`bin ${edges[i] >= typical * 3 ? "long" : ""}`} title=${`${at(i)}: ${format.several(count, "step")}`}><i ref=${height(count)}></i></span>`)}</div>
    <div class="bins-axis faint small"><span>${format.duration(edges[0])}</span><span>${format.duration(edges[Math.floor(edges.length / 2)])}</span><span>${format.duration(edges.at(-1))}</span></div>
    <p class="faint small">Square-root counts${data.log ? ", logarithmic bins" : ""}.</p>
  </figure>`;
}
