import { html, useState } from './vendor/preact-htm.mjs';
import { command, get } from './api.mjs';
import { ExplainPicture, explainable } from './explain.mjs';
import { Faults } from './faults.mjs';
import { clock, millis, number, short, show, units } from './format.mjs';
import { Choice, Failure, Loaded, Panel, usePolling } from './parts.mjs';

const SORTS = { time: (each) => each.time, requestCharge: (each) => each.requestCharge, millis: (each) => each.millis,
  documentsExamined: (each) => each.documentsExamined };
const RANGES = new Set(['$gt', '$gte', '$lt', '$lte', '$in', '$nin', '$ne', '$exists', '$regex', '$not']);

export function Operations({ scope }) {
  const [group, setGroup] = useState('no');
  const [sort, setSort] = useState('time');
  const [filter, setFilter] = useState('');
  const [result, setResult] = useState('');
  const [open, setOpen] = useState(null);
  const [isPaused, setPaused] = useState(false);
  const state = usePolling((signal) => get('/operations?limit=2000', signal), isPaused ? 0 : 2000, [isPaused]);
  const matches = (each) => (!scope?.database || each.database === scope.database)
    && (!scope?.collection || each.collection === scope.collection)
    && (!result || each.result === result)
    && (!filter || [each.application, each.comment, each.shape, each.command, each.user].some((text) => text?.toLowerCase().includes(filter.toLowerCase())));
  return html`<h1>Operations <small>${scope?.database ? scope.database + (scope.collection ? '.' + scope.collection : '') : 'whole server'}</small></h1>
    <${Panel} title="Last commands" aside=${html`<button type="button" aria-pressed=${isPaused ? 'true' : 'false'} onClick=${() => setPaused(!isPaused)}>${isPaused ? 'Go on' : 'Pause'}</button>`}>
      <div class="line">
        <label>Application, comment or command <input type="search" value=${filter} onInput=${(event) => setFilter(event.target.value)} /></label>
        <label>Result <select value=${result} onChange=${(event) => setResult(event.target.value)}>
          <option value="">all</option><option value="ok">ok</option><option value="throttled">throttled</option><option value="failed">failed</option><option value="broken">broken</option></select></label>
        <${Choice} label="Group" options=${[['no', 'One by one'], ['shape', 'By shape']]} value=${group} onChange=${setGroup} />
      </div>
      <${Loaded} state=${state}>${(data) => {
        const list = data.operations.filter(matches).sort((one, other) => SORTS[sort](other) - SORTS[sort](one));
        if (list.length === 0) return html`<p class="empty">No command ${filter || result ? 'matches' : 'was run lately'}.</p>`;
        return group === 'shape' ? html`<${Groups} list=${list} />`
          : html`<${List} list=${list.slice(0, 200)} sort=${sort} onSort=${setSort} open=${open} onOpen=${(chosen) => { setOpen(chosen); setPaused(chosen !== null); }} />`;
      }}<//>
      <p class="muted">Of busy seconds only a sample is kept; “×61” stands for 61 commands like it. The console’s own commands are left out.</p>
    <//>
    <${Faults} scope=${scope} />`;
}

function Sortable({ id, text, sort, onSort }) {
  return html`<th class="num" aria-sort=${sort === id ? 'descending' : 'none'}><button type="button" class="plain" onClick=${() => onSort(id)}>${text}${sort === id ? ' ▾' : ''}</button></th>`;
}

function List({ list, sort, onSort, open, onOpen }) {
  return html`<div class="scroll" tabindex="0"><table class="list" id="operations"><thead><tr>
      <${Sortable} id="time" text="Time" sort=${sort} onSort=${onSort} /><th>Command</th>
      <${Sortable} id="requestCharge" text="RU" sort=${sort} onSort=${onSort} />
      <${Sortable} id="millis" text="Duration" sort=${sort} onSort=${onSort} />
      <th class="num">Partitions</th><${Sortable} id="documentsExamined" text="Examined" sort=${sort} onSort=${onSort} />
      <th class="num">Returned</th><th>Result</th><th>Application</th></tr></thead>
    <tbody>${list.map((each) => html`
      <tr class=${each.result}><td class="num"><time>${clock(each.time)}</time></td>
        <td><button type="button" class="plain shape-text" aria-expanded=${open === each.number ? 'true' : 'false'}
          onClick=${() => onOpen(open === each.number ? null : each.number)}><code>${each.shape || each.command}</code></button>
          ${each.weight > 1 && html`<span class="tag">×${each.weight}</span>`}</td>
        <td class="num">${short(each.requestCharge)}</td><td class="num">${millis(each.millis)}</td>
        <td class="num">${number(each.partitions)}</td>
        <td class="num">${number(each.keysExamined)} / ${number(each.documentsExamined)}</td><td class="num">${number(each.documentsReturned)}</td>
        <td><span class=${'tag ' + each.result}>${each.error || each.result}</span></td>
        <td>${each.application || '–'}${each.comment && html` <span class="muted">${each.comment}</span>`}</td></tr>
      ${open === each.number && html`<tr class="details"><td colspan="9"><${Details} operation=${each} /></td></tr>`}`)}
    </tbody></table></div>`;
}

function Groups({ list }) {
  const groups = new Map();
  for (const each of list) {
    const group = groups.get(each.shapeId) ?? { shape: each.shape, count: 0, units: 0, millis: 0, throttled: 0, example: each };
    group.count += each.weight;
    group.units += each.requestCharge * each.weight;
    group.millis += each.millis * each.weight;
    group.throttled += each.result === 'throttled' ? each.weight : 0;
    groups.set(each.shapeId, group);
  }
  const sorted = [...groups.values()].sort((one, other) => other.units - one.units);
  return html`<div class="scroll" tabindex="0"><table class="list"><thead><tr><th>Shape</th><th class="num">Count</th><th class="num">RU in all</th>
      <th class="num">RU each</th><th class="num">Duration</th><th class="num">Throttled</th></tr></thead>
    <tbody>${sorted.map((each) => html`<tr><td><code class="shape-text">${each.shape}</code></td><td class="num">${number(each.count)}</td>
      <td class="num">${units(each.units)}</td><td class="num">${units(each.units / each.count)}</td>
      <td class="num">${millis(each.millis / each.count)}</td><td class="num">${number(each.throttled)}</td></tr>`)}</tbody></table></div>`;
}

/** Equal fields first, then those of the sort, then ranges: the order that serves a query best. */
export function suggestIndex(text) {
  const filter = text.filter ?? text.query ?? text.q ?? text.updates?.[0]?.q ?? text.deletes?.[0]?.q ?? text.pipeline?.[0]?.$match ?? {};
  const equal = [];
  const ranges = [];
  for (const [name, value] of Object.entries(filter)) {
    if (name[0] === '$' || name === '_id') continue;
    const isRange = value && typeof value === 'object' && !Array.isArray(value) && Object.keys(value).some((key) => RANGES.has(key));
    (isRange ? ranges : equal).push(name);
  }
  const key = {};
  equal.forEach((name) => { key[name] = 1; });
  Object.entries(text.sort ?? {}).forEach(([name, direction]) => { if (!(name in key) && name !== '_id') key[name] = direction === -1 ? -1 : 1; });
  ranges.forEach((name) => { if (!(name in key)) key[name] = 1; });
  return Object.keys(key).length ? key : null;
}

function Details({ operation }) {
  const [state, setState] = useState({});
  const text = operation.text;
  const isScan = operation.plan?.includes('COLLSCAN');
  const index = isScan ? suggestIndex(text) : null;
  const clean = Object.fromEntries(Object.entries(text).filter(([name]) => !['lsid', '$clusterTime', '$db', 'txnNumber', '$readPreference', 'comment', 'readConcern', 'writeConcern'].includes(name)));
  const act = (work) => async () => {
    setState({ busy: true });
    try {
      setState(await work());
    } catch (error) {
      setState({ error });
    }
  };
  const explain = act(async () => ({ plan: await command(operation.database, { explain: clean, verbosity: 'executionStats' }) }));
  const create = act(async () => {
    const name = Object.entries(index).map(([field, direction]) => `${field}_${direction}`).join('_');
    await command(operation.database, { createIndexes: operation.collection, indexes: [{ key: index, name }] });
    return { created: name };
  });
  return html`<div class="operation"><p>${operation.client}${operation.user && ` as ${operation.user}`} · plan ${operation.plan || '–'}</p>
    <pre tabindex="0">${show(clean)}</pre>
    <div class="line">${explainable(clean) && html`<button type="button" disabled=${state.busy} onClick=${explain}>Explain</button>`}
      ${index && html`<button type="button" class="primary" disabled=${state.busy} onClick=${create}>Create the index ${show(index, '  ')}</button>`}</div>
    ${state.created && html`<p role="status">The index ${state.created} was created.</p>`}
    ${state.error && html`<${Failure} error=${state.error} />`}
    ${state.plan && html`<${ExplainPicture} reply=${state.plan.reply} />`}</div>`;
}
