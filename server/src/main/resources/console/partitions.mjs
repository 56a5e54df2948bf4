import { html, useState } from './vendor/preact-htm.mjs';
import { command, get, path } from './api.mjs';
import { bytes, clock, number, percent, plain, scalar, short, units } from './format.mjs';
import { heatColour, scheme } from './heat.mjs';
import { Dialog, Failure, Loaded, Panel, usePolling } from './parts.mjs';

const KEY_SPACE = 0x40000000;

/** Where a boundary of the key space lies, from 0 to 1. */
const position = (boundary) => (boundary === '' ? 0 : boundary === 'FF' ? 1 : parseInt(boundary.slice(0, 8), 16) / KEY_SPACE);

async function load(scope, signal) {
  const [list, heat, server] = await Promise.all([
    command(scope.database, { listPartitions: scope.collection }),
    get(path(scope, '/heat?resolution=second'), signal),
    get('/server', signal)]);
  return { partitions: plain(list.reply.partitions), raw: list.reply.partitions, heat, limits: server.limits };
}

export function Partitions({ scope }) {
  const [version, setVersion] = useState(0);
  const state = usePolling((signal) => load(scope, signal), 3000, [scope.database, scope.collection, version]);
  return html`<h1>Partitions <small>${scope.database}.${scope.collection}</small></h1>
    <${Loaded} state=${state}>${(data) => html`<${Body} scope=${scope} data=${data} onChange=${() => setVersion((old) => old + 1)} />`}<//>`;
}

function rows(data) {
  const loads = new Map(data.heat.partitions.map((each) => [each.id,
    (each.units ?? []).slice(-61, -1).reduce((sum, value) => sum + value, 0)]));
  const all = [...loads.values()].reduce((sum, value) => sum + value, 0);
  return data.partitions.map((each, i) => ({ ...each, from: position(each.minInclusive), to: position(each.maxExclusive),
    lastMinute: loads.get(each.id) ?? 0, share: all ? (loads.get(each.id) ?? 0) / all : 0,
    largest: each.largestKey, largestText: data.raw[i].largestKey?.key === undefined ? '' : scalar(data.raw[i].largestKey.key) ?? '…' }));
}

function Body({ scope, data, onChange }) {
  const [action, setAction] = useState(null);
  const list = rows(data);
  const fair = 1 / list.length;
  return html`
    <${Panel} title="Key space" aside=${`${number(list.length)} partitions; colour: share of the last minute’s load`}>
      <div class="space" role="img" aria-label=${`${list.length} ranges of hashed keys, from 00 to 3F`}>
        ${list.map((each) => html`<span title=${`Partition ${each.id}: ${percent(each.to - each.from)} of the keys, ${percent(each.share)} of the load`}
          style=${{ left: each.from * 100 + '%', width: (each.to - each.from) * 100 + '%', background: heatColour(list.length === 1 ? each.share / 2 : Math.min(1, each.share / fair / 4), scheme()) }}>
          ${each.to - each.from > 0.04 && html`<b>P${each.id}</b>`}</span>`)}
      </div>
      <div class="space-axis" aria-hidden="true"><span>00…</span><span>1F…</span><span>3F…</span></div>
    <//>
    <div class="charts two">
      <${Panel} title="Storage by partition" aside=${verdict(list.map((each) => each.bytes))}><${Columns} list=${list} value=${(each) => each.bytes} text=${bytes} /><//>
      <${Panel} title="Load by partition, last minute" aside=${verdict(list.map((each) => each.lastMinute))}><${Columns} list=${list} value=${(each) => each.lastMinute} text=${units} hot /><//>
    </div>
    <${Panel} title="All partitions"><div class="scroll" tabindex="0"><table class="list" id="partitions">
      <thead><tr><th>Partition</th><th>Range of hashes</th><th class="num">Load share</th><th class="num">Budget</th><th class="num">Documents</th>
        <th class="num">Bytes</th><th class="num">Keys</th><th>Largest key</th><th>Actions</th></tr></thead>
      <tbody>${list.map((each, i) => html`<tr><th scope="row">P${each.id}</th>
        <td><code>${each.minInclusive.slice(0, 4) || '0000'} – ${each.maxExclusive.slice(0, 4)}</code></td>
        <td class="num">${percent(each.share)}</td><td class="num">${each.throughput ? short(each.throughput) + ' RU/s' : '–'}</td>
        <td class="num">${number(each.documents)}</td><td class="num">${bytes(each.bytes)}</td><td class="num">${number(each.keys)}</td>
        <td>${each.largest && html`<code>${each.largestText || '(missing)'}</code> ${bytes(each.largest.bytes)},${' '}
          <span class="muted">${percent(each.largest.bytes / data.limits.logicalPartitionBytes)} of its limit</span>`}</td>
        <td class="actions"><button type="button" onClick=${() => setAction({ kind: 'split', partition: each })}>Split …</button>
          ${i + 1 < list.length && html`<button type="button" onClick=${() => setAction({ kind: 'merge', partition: each, next: list[i + 1] })}>Merge with P${list[i + 1].id} …</button>`}
          ${each.throughput && list.length > 1 && html`<button type="button" onClick=${() => setAction({ kind: 'share', partition: each })}>Set budget …</button>`}</td></tr>`)}
      </tbody></table></div><//>
    <${Forecast} scope=${scope} />
    <${Tree} list=${list} events=${data.heat.events} />
    ${action && html`<${Action} scope=${scope} action=${action} onClose=${(isDone) => { setAction(null); if (isDone === true) onChange(); }} />`}`;
}

/** The good key and the poor key, told apart at a glance. */
function verdict(values) {
  const sum = values.reduce((all, value) => all + value, 0);
  if (values.length < 2 || sum === 0) return '';
  const times = Math.max(...values) / (sum / values.length);
  return times < 1.5 ? 'evenly spread' : times < 3 ? `uneven: the largest is ${number(times, 1)} times the average`
    : `poor key: the largest is ${number(times, 1)} times the average`;
}

function Columns({ list, value, text, hot }) {
  const most = Math.max(...list.map(value), 1e-9);
  const every = Math.ceil(list.length / 24);
  return html`<div class="columns-chart" role="img" aria-label=${list.slice(0, 50).map((each) => `partition ${each.id}: ${text(value(each))}`).join(', ')}>
    ${list.map((each, i) => html`<div title=${`P${each.id}: ${text(value(each))}`}>
      <i style=${{ height: Math.max(1, 100 * value(each) / most) + '%', background: hot ? heatColour(value(each) / most, scheme()) : undefined }}></i>
      <span>${i % every === 0 ? 'P' + each.id : ''}</span></div>`)}</div>`;
}

function Forecast({ scope }) {
  const [wanted, setWanted] = useState('20000');
  const [result, setResult] = useState(null);
  const ask = async (event) => {
    event.preventDefault();
    try {
      setResult(await get(path(scope, '/forecast?unitsPerSecond=' + encodeURIComponent(wanted))));
    } catch (error) {
      setResult({ error });
    }
  };
  return html`<${Panel} title="What would another throughput do?"><form class="line" onSubmit=${ask}>
      <label>Throughput in RU/s <input type="number" min="1" value=${wanted} onInput=${(event) => setWanted(event.target.value)} /></label>
      <button type="submit">Tell me</button></form>
    ${result?.error && html`<${Failure} error=${result.error} />`}
    ${result && !result.error && html`<p id="forecast">With <b>${number(result.unitsPerSecond)} RU/s</b> there would be
      ${' '}<b>${number(result.partitionsThen)} partitions</b> (now ${number(result.partitions)}${result.splits > 0 ? `, so ${number(result.splits)} splits` : ', no split'}),
      each with ${number(result.unitsPerPartition)} RU/s.
      ${!result.canSplit && ' The collection has no partition key, so it stays on one partition.'}
      ${result.usableUnits < result.unitsPerSecond && ` Only ${number(result.usableUnits)} RU/s of it can be used.`}
      ${result.splits > 0 && ' Splits stay when the throughput is lowered again.'}</p>`}<//>`;
}

function Tree({ list, events }) {
  if (events.length === 0 && list.every((each) => each.parents.length === 0)) {
    return html`<${Panel} title="Splits and merges"><p class="empty">No partition was split or merged yet.</p><//>`;
  }
  return html`<${Panel} title="Splits and merges" id="tree"><ol class="tree">
    ${[...events].reverse().map((event) => html`<li><time>${clock(event.time, true)}</time>
      <span>${event.before.map((id) => html`<b class="old">P${id}</b>`)} <span aria-label="became">→</span> ${event.after.map((id) => html`<b>P${id}</b>`)}</span>
      <span class="muted">${event.after.length > event.before.length ? 'split' : event.after.length < event.before.length ? 'merged' : 'made anew'} in ${number(event.millis)} ms</span></li>`)}
    </ol>
    <details><summary>Where each partition comes from</summary><ul class="tree">${list.filter((each) => each.parents.length).map((each) => html`
      <li>${each.parents.map((id) => html`<b class="old">P${id}</b>`)} → <b>P${each.id}</b></li>`)}</ul></details><//>`;
}

function Action({ scope, action, onClose }) {
  const [state, setState] = useState({});
  const [budget, setUnits] = useState(String(action.partition.throughput ?? ''));
  const commands = {
    split: { splitPartition: scope.collection, partition: action.partition.id },
    merge: { mergePartitions: scope.collection, partitions: [action.partition.id, action.next?.id] },
    share: { setPartitionThroughput: scope.collection, partitions: [{ id: action.partition.id, throughput: Number(budget) }] },
  };
  const title = { split: `Split partition ${action.partition.id}`, merge: `Merge partitions ${action.partition.id} and ${action.next?.id}`,
    share: `Budget of partition ${action.partition.id}` }[action.kind];
  const run = async (event) => {
    event.preventDefault();
    setState({ busy: true });
    try {
      await command(scope.database, commands[action.kind]);
      onClose(true);
    } catch (error) {
      setState({ error });
    }
  };
  return html`<${Dialog} title=${title} onClose=${onClose}><form onSubmit=${run}>
    <p>${{ split: 'Its range is halved while reads and writes go on. A single hot key stays on one of the halves.',
      merge: 'Both become one partition while reads and writes go on.',
      share: 'The other partitions divide the rest evenly.' }[action.kind]}</p>
    ${action.kind === 'share' && html`<label>RU/s <input type="number" min="100" required value=${budget} onInput=${(event) => setUnits(event.target.value)} /></label>`}
    ${state.error && html`<${Failure} error=${state.error} />`}
    <footer><button type="button" class="plain" onClick=${onClose}>Cancel</button>
      <button type="submit" class="primary" disabled=${state.busy}>${state.busy ? 'Working …' : { split: 'Split', merge: 'Merge', share: 'Set' }[action.kind]}</button></footer></form><//>`;
}
