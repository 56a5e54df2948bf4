import { html } from './vendor/preact-htm.mjs';
import { Panel } from './parts.mjs';

const SIZES = ['1 KB', '2 KB', '4 KB', '8 KB', '16 KB', '32 KB', '64 KB', '128 KB', '256 KB', '512 KB', '1 MB', '2 MB'];
const READS = [21, 22, 24, 28, 35, 46, 100, 209, 426, 860, 3064, 6128];
const WRITES = [104, 132, 140, 148, 200, 236, 476, 1012, 2064, 3876, 13125, 26250];

const price = (twentyFirsts) => (twentyFirsts / 21).toFixed(2);

const NUMBERS = [
  ['Bytes, documents, keys', 'counted', 'Exact, of what is stored here. Azure adds overhead of its own to each document.'],
  ['Request units of point reads and writes', 'modelled', 'The published table by size of document, below; one index entry adds 0.19 RU. Between two rows the price is interpolated.'],
  ['Request units of queries', 'modelled', 'There is no published formula. Calibrated on published examples: 2.48 RU for each partition asked, 0.71 RU for each document of 1 KB returned, 34 RU for each MB loaded and filtered out. Real charges depend on an index of another design: expect the right order of magnitude, not the same number.'],
  ['Throttling (16500)', 'modelled', 'One budget for each physical partition, filled every moment with its share of the throughput. Azure’s counts whole seconds.'],
  ['Latency', 'measured', 'The time of this server on this machine. It says nothing about Azure.'],
  ['Splits and merges', 'simulated', 'Real splits of real data, at the sizes and throughputs that Azure documents (50 GB, 10,000 RU/s), which can be scaled down. Azure decides by itself when it splits; here it happens at once.'],
  ['Load by partition', 'counted', 'Exact by second, of every request.'],
  ['Load by partition key and by command', 'sampled', 'The first hundred requests of every second, and after them each sixty-first for sixty-one. Kept for the 200 dearest of each interval.'],
  ['Last commands', 'sampled', 'In the same way; slow and failed ones are kept in addition, fifty of a second at the most.'],
];

export function Honesty() {
  return html`<h1>Honesty <small>what these numbers are worth</small></h1>
    <p class="prose">This is not Azure. Some numbers are counted, some are measured, and some come from a model of Cosmos DB’s prices that is only
      as good as what is published about them. A request costs the same here on every machine and at any time, so differences between two
      keys, two indexes or two queries mean something even where the number itself is off.</p>
    <${Panel} title="Where each number comes from"><div class="scroll" tabindex="0"><table class="list"><thead><tr><th>Number</th><th>Kind</th><th>What to know</th></tr></thead>
      <tbody>${NUMBERS.map(([name, kind, text]) => html`<tr><th scope="row">${name}</th><td><span class="tag">${kind}</span></td><td>${text}</td></tr>`)}</tbody></table></div><//>
    <${Panel} title="The published rows, and what they cost here"><div class="scroll" tabindex="0"><table class="list"><thead><tr><th>Document</th>
      <th class="num">Read, RU</th><th class="num">Write, RU</th></tr></thead>
      <tbody>${SIZES.map((size, i) => html`<tr><th scope="row">${size}</th><td class="num">${price(READS[i])}</td><td class="num">${price(WRITES[i])}</td></tr>`)}</tbody></table></div>
      <p class="muted">Writes without index entries. At these sizes the model gives the published number to the last digit; a test holds it there.</p><//>
    <p class="prose">What this server does differently from MongoDB and from Cosmos DB is listed, and tested, in docs/differences.md.</p>`;
}
