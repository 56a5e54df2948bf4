import { html, useEffect, useRef, useState } from './vendor/preact-htm.mjs';
import { command } from './api.mjs';
import { Documents, VIEWS } from './documents.mjs';
import { ExplainPicture } from './explain.mjs';
import { millis, number, units } from './format.mjs';
import { Choice, Failure, Panel } from './parts.mjs';

const OPERATORS = ['$eq', '$ne', '$gt', '$gte', '$lt', '$lte', '$in', '$nin', '$and', '$or', '$nor', '$not', '$exists', '$type',
  '$regex', '$size', '$all', '$elemMatch', '$mod', '$expr'];
const STAGES = ['$match', '$group', '$project', '$sort', '$limit', '$skip', '$unwind', '$lookup', '$addFields', '$set', '$unset',
  '$count', '$facet', '$sortByCount', '$sample', '$replaceRoot', '$sum', '$avg', '$min', '$max', '$first', '$last', '$push', '$addToSet'];
const HISTORY = 'orrery-query-history';
const BATCH = 50;

function history() {
  try {
    return JSON.parse(localStorage.getItem(HISTORY)) ?? [];
  } catch {
    return [];
  }
}

function remember(entry) {
  const rest = history().filter((each) => each.text !== entry.text || each.kind !== entry.kind);
  const list = [entry, ...rest].slice(0, 30);
  localStorage.setItem(HISTORY, JSON.stringify(list));
  return list;
}

function body(scope, kind, text, sort) {
  const name = JSON.stringify(scope.collection);
  const given = text.trim();
  if (kind === 'find') return `{ find: ${name}, filter: ${given || '{}'}${sort.trim() ? `, sort: ${sort}` : ''}, batchSize: ${BATCH} }`;
  return `{ aggregate: ${name}, pipeline: ${given || '[]'}, cursor: { batchSize: ${BATCH} } }`;
}

export function Query({ scope }) {
  const [kind, setKind] = useState('find');
  const [text, setText] = useState('{}');
  const [sort, setSort] = useState('');
  const [view, setView] = useState('tree');
  const [state, setState] = useState({});
  const [fields, setFields] = useState([]);
  const [past, setPast] = useState(history());
  useEffect(() => {
    setState({});
    command(scope.database, { find: scope.collection, limit: 20, singleBatch: true })
      .then((answer) => setFields(names(answer.reply.cursor.firstBatch)), () => setFields([]));
  }, [scope.database, scope.collection]);
  const run = async (wantsPlan) => {
    setState({ busy: true });
    try {
      const request = body(scope, kind, text, sort);
      if (wantsPlan) {
        const plan = await command(scope.database, `{ explain: ${request}, verbosity: "executionStats" }`);
        setState({ plan });
      } else {
        const answer = await command(scope.database, request);
        setPast(remember({ kind, text, sort, ns: `${scope.database}.${scope.collection}`, charge: answer.requestCharge }));
        setState({ documents: answer.reply.cursor.firstBatch, cursor: answer.reply.cursor.id, charge: answer.requestCharge, time: answer.millis });
      }
    } catch (error) {
      setState({ error });
    }
  };
  const more = async () => {
    try {
      const id = state.cursor.$numberLong ?? state.cursor;
      const answer = await command(scope.database, `{ getMore: NumberLong("${id}"), collection: ${JSON.stringify(scope.collection)}, batchSize: ${BATCH} }`);
      setState({ ...state, documents: [...state.documents, ...answer.reply.cursor.nextBatch], cursor: answer.reply.cursor.id,
        charge: state.charge + answer.requestCharge, time: state.time + answer.millis });
    } catch (error) {
      setState({ ...state, error });
    }
  };
  const hasMore = state.cursor && (state.cursor.$numberLong ?? String(state.cursor)) !== '0';
  return html`<h1>Query <small>${scope.database}.${scope.collection}</small></h1>
    <${Panel} title=${kind === 'find' ? 'Filter' : 'Pipeline'} aside=${html`<${Choice} label="Kind" options=${[['find', 'find'], ['aggregate', 'aggregate']]} value=${kind}
        onChange=${(next) => { setKind(next); setText(next === 'find' ? '{}' : '[{ $match: {} }]'); }} />`}>
      <${Editor} text=${text} onText=${setText} words=${[...fields, ...OPERATORS, ...(kind === 'aggregate' ? STAGES : [])]} onRun=${() => run(false)} />
      <div class="line">
        ${kind === 'find' && html`<label>Sort <input type="text" class="code" placeholder="{ field: 1 }" value=${sort} onInput=${(event) => setSort(event.target.value)} /></label>`}
        <button type="button" class="primary" id="run" disabled=${state.busy} onClick=${() => run(false)}>${state.busy ? 'Running …' : 'Run'}</button>
        <button type="button" disabled=${state.busy} onClick=${() => run(true)}>Explain</button>
        <span class="muted">Ctrl+Enter runs; Tab takes the first suggestion</span>
      </div>
      ${past.length > 0 && html`<details><summary>History</summary><ul class="history">${past.map((each) => html`<li><button type="button" class="plain"
        onClick=${() => { setKind(each.kind); setText(each.text); setSort(each.sort ?? ''); }}><code>${each.kind} ${each.text}</code></button>
        <span class="muted">${each.ns}, ${units(each.charge)}</span></li>`)}</ul></details>`}
    <//>
    ${state.error && html`<${Failure} error=${state.error} />`}
    ${state.plan && html`<${Panel} title="Plan" aside=${`explaining cost ${units(state.plan.requestCharge)}`}><${ExplainPicture} reply=${state.plan.reply} /><//>`}
    ${state.documents && html`<${Panel} title="Result" aside=${html`<${Choice} label="View" options=${VIEWS} value=${view} onChange=${setView} />`}>
      <p id="charge"><b>${units(state.charge)}</b> for ${number(state.documents.length)} documents in ${millis(state.time)}</p>
      <${Documents} documents=${state.documents} view=${view} />
      ${hasMore && html`<button type="button" onClick=${more}>Next ${BATCH} documents</button>`}<//>`}`;
}

function names(documents) {
  const found = new Set();
  const visit = (value, prefix, depth) => {
    if (depth > 3 || value === null || typeof value !== 'object' || Array.isArray(value)) return;
    for (const [name, item] of Object.entries(value)) {
      if (name[0] === '$') return;
      found.add(prefix + name);
      visit(item, prefix + name + '.', depth + 1);
    }
  };
  documents.forEach((each) => visit(each, '', 0));
  return [...found].sort();
}

function Editor({ text, onText, words, onRun }) {
  const area = useRef(null);
  const [found, setFound] = useState([]);
  const wordAt = () => /[\w$.]+$/.exec(area.current.value.slice(0, area.current.selectionStart))?.[0] ?? '';
  const look = (event) => {
    onText(event.target.value);
    const word = wordAt();
    setFound(word ? words.filter((each) => each.startsWith(word) && each !== word).slice(0, 8) : []);
  };
  const take = (word) => {
    const typed = wordAt();
    const at = area.current.selectionStart;
    const next = area.current.value.slice(0, at - typed.length) + word + area.current.value.slice(at);
    onText(next);
    setFound([]);
    area.current.focus();
    requestAnimationFrame(() => area.current.setSelectionRange(at - typed.length + word.length, at - typed.length + word.length));
  };
  const key = (event) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) onRun();
    else if (event.key === 'Tab' && found.length && !event.shiftKey) {
      event.preventDefault();
      take(found[0]);
    } else if (event.key === 'Escape') setFound([]);
  };
  return html`<div class="editor"><textarea ref=${area} class="code" rows="5" spellcheck=${false} aria-label="Query" id="query-text"
      value=${text} onInput=${look} onKeyDown=${key}></textarea>
    <div class="words" role="status">${found.map((word) => html`<button type="button" onClick=${() => take(word)}><code>${word}</code></button>`)}</div></div>`;
}
