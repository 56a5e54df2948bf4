import { html, useEffect, useState } from './vendor/preact-htm.mjs';
import { command, get } from './api.mjs';
import { Documents, VIEWS } from './documents.mjs';
import { bytes, number, plain, short, show, units } from './format.mjs';
import { Choice, Dialog, Failure, Loaded, Panel, usePolling } from './parts.mjs';
import { Transfer } from './transfer.mjs';

const PAGE = 20;

export function Data({ scope, onScope }) {
  return scope?.collection ? html`<${Collection} scope=${scope} />` : html`<${Collections} scope=${scope} onScope=${onScope} />`;
}

function throughputText(throughput) {
  if (!throughput) return 'none';
  return `${short(throughput.unitsPerSecond)} RU/s${throughput.mode === 'autoscale' ? ' autoscale' : ''}${throughput.shared ? ' shared' : ''}`;
}

function Collections({ scope, onScope }) {
  const [filter, setFilter] = useState('');
  const [version, setVersion] = useState(0);
  const [isCreating, setCreating] = useState(false);
  const state = usePolling((signal) => get('/collections', signal), 5000, [version]);
  return html`<h1>Data <small>all collections</small></h1>
    <${Panel} title="Collections" aside=${html`<button type="button" class="primary" onClick=${() => setCreating(true)}>New collection …</button>`}>
      <div class="line"><label>Filter <input type="search" value=${filter} onInput=${(event) => setFilter(event.target.value)} /></label></div>
      <${Loaded} state=${state}>${(data) => {
        const list = data.collections.filter((each) => (!scope?.database || each.database === scope.database)
          && `${each.database}.${each.collection}`.includes(filter));
        if (list.length === 0) return html`<p class="empty">No collections yet. Create one, or let a driver do it.</p>`;
        return html`<div class="scroll" tabindex="0"><table class="list"><thead><tr><th>Collection</th><th>Partition key</th><th class="num">Partitions</th>
          <th class="num">Documents</th><th class="num">Bytes</th><th>Throughput</th><th class="num">Indexes</th></tr></thead>
          <tbody>${list.slice(0, 500).map((each) => html`<tr><td><button type="button" class="plain link" onClick=${() => onScope(each)}>${each.database}.<b>${each.collection}</b></button>
            ${each.view && html`<span class="tag">view</span>`}</td><td>${each.partitionKey ? html`<code>${each.partitionKey}</code>` : '–'}</td>
            <td class="num">${number(each.partitions)}</td><td class="num">${number(each.documents)}</td><td class="num">${bytes(each.bytes)}</td>
            <td>${throughputText(each.throughput)}</td><td class="num">${number(each.indexes)}</td></tr>`)}</tbody></table></div>
          ${list.length > 500 && html`<p class="muted">The first 500 of ${number(list.length)}; the filter finds the others.</p>`}`;
      }}<//><//>
    ${isCreating && html`<${NewCollection} database=${scope?.database} onClose=${() => { setCreating(false); setVersion(version + 1); }} />`}`;
}

function NewCollection({ database, onClose }) {
  const [form, setForm] = useState({ database: database ?? 'test', collection: '', key: '', units: '' });
  const [state, setState] = useState({});
  const set = (name) => (event) => setForm({ ...form, [name]: event.target.value });
  const create = async (event) => {
    event.preventDefault();
    setState({ busy: true });
    try {
      const action = { customAction: 'CreateCollection', collection: form.collection };
      if (form.key) action.shardKey = form.key;
      if (form.units) action.offerThroughput = Number(form.units);
      await command(form.database, action);
      onClose();
    } catch (error) {
      setState({ error });
    }
  };
  return html`<${Dialog} title="New collection" onClose=${onClose}><form onSubmit=${create}>
    <label>Database <input required value=${form.database} onInput=${set('database')} /></label>
    <label>Collection <input required value=${form.collection} onInput=${set('collection')} /></label>
    <label>Partition key, as a path; empty for one partition <input value=${form.key} placeholder="customerId" onInput=${set('key')} /></label>
    <label>Throughput in RU/s; empty for no limit <input type="number" min="400" step="100" value=${form.units} onInput=${set('units')} /></label>
    ${state.error && html`<${Failure} error=${state.error} />`}
    <footer><button type="button" class="plain" onClick=${onClose}>Cancel</button><button type="submit" class="primary" disabled=${state.busy}>Create</button></footer></form><//>`;
}

async function describe(scope, signal) {
  const all = await get('/collections', signal);
  const info = all.collections.find((each) => each.database === scope.database && each.collection === scope.collection);
  if (!info) throw Object.assign(new Error('There is no such collection.'), { code: 'NotFound' });
  if (info.view) return { info, indexes: [], uses: new Map() };
  const [indexes, uses] = await Promise.all([
    command(scope.database, { listIndexes: scope.collection }),
    command(scope.database, { aggregate: scope.collection, pipeline: [{ $indexStats: {} }], cursor: {} }).catch(() => null)]);
  return { info, indexes: indexes.reply.cursor.firstBatch,
    uses: new Map((uses?.reply.cursor.firstBatch ?? []).map((each) => [each.name, plain(each.accesses?.ops)])) };
}

function Collection({ scope }) {
  const [version, setVersion] = useState(0);
  const again = () => setVersion((old) => old + 1);
  const state = usePolling((signal) => describe(scope, signal), 0, [scope.database, scope.collection, version]);
  return html`<h1>Data <small>${scope.database}.${scope.collection}</small></h1>
    <${Loaded} state=${state}>${(data) => html`
      <div class="charts two">
        <${Panel} title="Settings"><dl class="facts"><div><dt>Partition key</dt><dd>${data.info.partitionKey ? html`<code>${data.info.partitionKey}</code>` : 'none'}</dd></div>
          <div><dt>Partitions</dt><dd>${number(data.info.partitions)}</dd></div><div><dt>Documents</dt><dd>${number(data.info.documents)}, ${bytes(data.info.bytes)}</dd></div>
          <div><dt>Throughput</dt><dd>${throughputText(data.info.throughput)}</dd></div></dl>
          ${!data.info.view && html`<${ThroughputForm} scope=${scope} throughput=${data.info.throughput} onDone=${again} />`}<//>
        <${Panel} title="Indexes"><div class="scroll" tabindex="0"><table class="list"><thead><tr><th>Name</th><th>Key</th><th>Kind</th><th class="num">Used</th></tr></thead>
          <tbody>${data.indexes.map((each) => html`<tr><td>${each.name}</td><td><code>${show(each.key, '  ')}</code></td>
            <td>${[each.unique && 'unique', each.expireAfterSeconds && 'TTL', each.sparse && 'sparse', each.partialFilterExpression && 'partial'].filter(Boolean).join(', ') || '–'}</td>
            <td class="num">${data.uses.has(each.name) ? number(data.uses.get(each.name)) + ' times' : '–'}</td></tr>`)}</tbody></table></div><//>
      </div>
      <${Browser} scope=${scope} partitionKey=${data.info.partitionKey} isView=${data.info.view} />
      <${Transfer} scope=${scope} isView=${data.info.view} onDone=${again} />`}<//>`;
}

function ThroughputForm({ scope, throughput, onDone }) {
  const [mode, setMode] = useState(throughput?.mode ?? 'manual');
  const [value, setValue] = useState(String(throughput?.unitsPerSecond ?? 400));
  const [state, setState] = useState({});
  if (throughput?.shared) return html`<p class="muted">The throughput is the database’s and shared by its collections.</p>`;
  const save = async (event) => {
    event.preventDefault();
    setState({ busy: true });
    try {
      const action = { customAction: 'UpdateCollection', collection: scope.collection };
      if (mode === 'autoscale') action.autoScaleSettings = { maxThroughput: Number(value) };
      else action.offerThroughput = Number(value);
      await command(scope.database, action);
      setState({ done: true });
      onDone();
    } catch (error) {
      setState({ error });
    }
  };
  return html`<form class="line" onSubmit=${save} id="throughput"><label>Mode <select value=${mode} onChange=${(event) => setMode(event.target.value)}>
      <option value="manual">manual</option><option value="autoscale">autoscale</option></select></label>
    <label>${mode === 'manual' ? 'RU/s' : 'Highest RU/s'} <input type="number" min="400" step="100" required value=${value} onInput=${(event) => setValue(event.target.value)} /></label>
    <button type="submit" class="primary" disabled=${state.busy}>${state.busy ? 'Setting, splits take a while …' : 'Set throughput'}</button>
    ${state.done && html`<span role="status">Set.</span>`}</form>${state.error && html`<${Failure} error=${state.error} />`}`;
}

function Browser({ scope, partitionKey, isView }) {
  const [filter, setFilter] = useState('{}');
  const [applied, setApplied] = useState('{}');
  const [page, setPage] = useState(0);
  const [view, setView] = useState('tree');
  const [edited, setEdited] = useState(null);
  const [version, setVersion] = useState(0);
  useEffect(() => { setPage(0); setFilter('{}'); setApplied('{}'); }, [scope.database, scope.collection]);
  const load = () => command(scope.database, `{ find: ${JSON.stringify(scope.collection)}, filter: ${applied || '{}'}, skip: ${page * PAGE}, limit: ${PAGE + 1}, singleBatch: true }`);
  const state = usePolling(load, 0, [scope.database, scope.collection, applied, page, version]);
  const actions = isView ? null : (document) => html`<button type="button" onClick=${() => setEdited({ document })}>Edit …</button>
    <button type="button" onClick=${() => setEdited({ document, isDeletion: true })}>Delete …</button>`;
  return html`<${Panel} title="Documents" aside=${html`${!isView && html`<button type="button" onClick=${() => setEdited({})}>Insert …</button> `}<${Choice} label="View" options=${VIEWS} value=${view} onChange=${setView} />`}>
    <form class="line" onSubmit=${(event) => { event.preventDefault(); setPage(0); setApplied(filter); setVersion(version + 1); }}>
      <label class="grow">Filter ${partitionKey && html`<span class="muted">with ${partitionKey} it asks one partition</span>`}
        <input type="text" class="code" value=${filter} onInput=${(event) => setFilter(event.target.value)} /></label><button type="submit">Apply</button></form>
    <${Loaded} state=${state}>${(answer) => {
      const batch = answer.reply.cursor.firstBatch;
      return html`<${Documents} documents=${batch.slice(0, PAGE)} view=${view} actions=${actions} />
        <div class="line pager"><button type="button" disabled=${page === 0} onClick=${() => setPage(page - 1)}>Back</button>
          <span>Documents ${number(page * PAGE + Math.min(1, batch.length))} to ${number(page * PAGE + Math.min(PAGE, batch.length))}, ${units(answer.requestCharge)}</span>
          <button type="button" disabled=${batch.length <= PAGE} onClick=${() => setPage(page + 1)}>Next</button></div>`;
    }}<//>
    ${edited && html`<${EditDialog} scope=${scope} partitionKey=${partitionKey} edited=${edited}
      onClose=${(isDone) => { setEdited(null); if (isDone === true) setVersion(version + 1); }} />`}<//>`;
}

function fieldAt(document, dotted) {
  return dotted.split('.').reduce((value, name) => value?.[name], document);
}

/** Names the one document, and its partition if it has a key: then one partition is asked. */
function identity(document, partitionKey) {
  const parts = [`_id: ${show(document._id, '  ')}`];
  const key = partitionKey && partitionKey !== '_id' ? fieldAt(document, partitionKey) : undefined;
  if (key !== undefined) parts.push(`${JSON.stringify(partitionKey)}: ${show(key, '  ')}`);
  return `{ ${parts.join(', ')} }`;
}

function EditDialog({ scope, partitionKey, edited, onClose }) {
  const [text, setText] = useState(edited.document ? show(edited.document) : '{\n  \n}');
  const [state, setState] = useState({});
  const name = JSON.stringify(scope.collection);
  const requests = () => {
    if (edited.isDeletion) return `{ delete: ${name}, deletes: [{ q: ${identity(edited.document, partitionKey)}, limit: 1 }] }`;
    if (edited.document) return `{ update: ${name}, updates: [{ q: ${identity(edited.document, partitionKey)}, u: ${text}, upsert: false }] }`;
    return `{ insert: ${name}, documents: [${text}] }`;
  };
  const save = async (event) => {
    event.preventDefault();
    setState({ busy: true });
    try {
      const answer = await command(scope.database, requests());
      const failed = answer.reply.writeErrors?.[0];
      if (failed) throw Object.assign(new Error(failed.errmsg), { code: 'Error ' + plain(failed.code) });
      if (plain(answer.reply.n) === 0) throw Object.assign(new Error('The document is not there any more.'), { code: 'NotFound' });
      onClose(true);
    } catch (error) {
      setState({ error });
    }
  };
  const title = edited.isDeletion ? 'Delete this document?' : edited.document ? 'Edit document' : 'Insert document';
  return html`<${Dialog} title=${title} onClose=${onClose}><form onSubmit=${save}>
    <textarea class="code" rows="16" id="document-text" aria-label="Document" spellcheck=${false} readonly=${edited.isDeletion} value=${text} onInput=${(event) => setText(event.target.value)}></textarea>
    ${state.error && html`<${Failure} error=${state.error} />`}
    <footer><button type="button" class="plain" onClick=${onClose}>Cancel</button>
      <button type="submit" class=${edited.isDeletion ? 'danger' : 'primary'} disabled=${state.busy}>${edited.isDeletion ? 'Delete' : 'Save'}</button></footer></form><//>`;
}
