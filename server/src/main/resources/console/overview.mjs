import { html } from './vendor/preact-htm.mjs';
import { get } from './api.mjs';
import { Chart } from './chart.mjs';
import { bytes, millis, number, percent, short, units } from './format.mjs';
import { Loaded, Panel, Tile, usePolling } from './parts.mjs';

const SPAN = 120;

function query(scope) {
  if (!scope?.database) return '/overview';
  const rest = scope.collection ? '&collection=' + encodeURIComponent(scope.collection) : '';
  return '/overview?database=' + encodeURIComponent(scope.database) + rest;
}

export function Overview({ scope }) {
  const state = usePolling((signal) => get(query(scope), signal), 1000, [scope?.database, scope?.collection]);
  return html`<h1>Overview <small>${scope?.database ? scope.database + (scope.collection ? '.' + scope.collection : '') : 'whole server'}</small></h1>
    <${Loaded} state=${state}>${(data) => html`<${Body} data=${data} />`}<//>`;
}

function Body({ data }) {
  const points = data.points.filter((point) => point[0] > data.second - SPAN);
  const seconds = points.map((point) => point[0]);
  const column = (i) => points.map((point) => point[i]);
  const lastMinute = points.filter((point) => point[0] > data.second - 60);
  const sum = (i) => lastMinute.reduce((all, point) => all + point[i], 0);
  const requests = sum(2) + sum(3) + sum(4);
  const throttled = requests ? sum(3) / requests : 0;
  const limit = data.throughput.limited ? data.throughput.now : 0;
  const now = points.at(-1) ?? [0, 0, 0, 0, 0, 0, 0];
  const frame = { seconds, last: data.second, span: SPAN };
  return html`
    <div class="tiles">
      <${Tile} label="Request units" value=${units(now[1]) + '/s'}
        note=${limit ? `${percent(now[1] / limit)} of ${short(limit)} RU/s provisioned` : 'no throughput provisioned'} />
      <${Tile} label="Requests" value=${short(now[2] + now[3] + now[4]) + '/s'} note=${short(requests) + ' in the last minute'} />
      <${Tile} label="Throttled (16500)" value=${percent(throttled)} bad=${throttled > 0.05}
        note=${throttled > 0.05 ? 'over 5 %: more throughput or a better key is needed' : 'of the last minute; 1 to 5 % is healthy'} />
      <${Tile} label="Latency p99" value=${millis(now[6])} note=${'p50 ' + millis(now[5])} />
      <${Tile} label="Documents" value=${short(data.storage.documents)} note=${bytes(data.storage.bytes) + ' of documents'
        + (data.storage.unopenedPartitions ? `; ${data.storage.unopenedPartitions} partitions not opened yet` : '')} />
      <${Tile} label="Partitions" value=${number(data.storage.partitions)} note=${number(data.storage.collections) + ' collections'} />
      ${data.connections !== undefined && html`
        <${Tile} label="Connections" value=${number(data.connections)} note=${number(data.sessions) + ' sessions'} />
        <${Tile} label="Running now" value=${number(data.operations)} note=${`${number(data.cursors)} open cursors, ${number(data.transactions)} transactions`} />`}
      ${data.storage.logBytes !== undefined && html`
        <${Tile} label="Log on disk" value=${bytes(data.storage.logBytes)} note=${bytes(data.storage.freeBytes) + ' free on the disk'} />`}
    </div>
    <div class="charts">
      <${Panel} title="Request units per second"><${Chart} ...${frame} title="RU/s" limit=${limit} format=${short}
        series=${[{ name: 'used', cls: 's1', values: column(1) }]} /><//>
      <${Panel} title="Requests by result"><${Chart} ...${frame} title="per second" format=${short} series=${[
        { name: 'ok', cls: 's1', values: column(2) }, { name: 'throttled', cls: 's2', values: column(3) },
        { name: 'failed', cls: 's3', values: column(4) }]} /><//>
      <${Panel} title="Latency"><${Chart} ...${frame} title="time in the server" format=${millis} series=${[
        { name: 'p50', cls: 's1', values: column(5) }, { name: 'p99', cls: 's2', values: column(6) }]} /><//>
    </div>
    ${points.every((point) => point[2] + point[3] + point[4] === 0) && html`
      <p class="empty">No requests in the last two minutes. Point a driver at this server and watch.</p>`}`;
}
