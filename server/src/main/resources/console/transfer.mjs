// Import of a file into a collection, and export of a collection into one.
import { html, useState } from './vendor/preact-htm.mjs';
import { command } from './api.mjs';
import { bytes, number, plain, units } from './format.mjs';
import { Failure, Panel } from './parts.mjs';

const BATCH_CHARACTERS = 500000;
const BATCH_DOCUMENTS = 500;
const FILE_BYTES_MAX = 200e6;

/** The documents of a file: one a line, or an array of them. */
export function split(text) {
  const trimmed = text.trim();
  if (trimmed[0] === '[') return JSON.parse(trimmed).map((each) => JSON.stringify(each));
  return trimmed.split('\n').map((line) => line.trim()).filter(Boolean);
}

async function insert(scope, documents, onProgress) {
  let at = 0;
  let charge = 0;
  while (at < documents.length) {
    const batch = [];
    let size = 0;
    while (at < documents.length && batch.length < BATCH_DOCUMENTS && (batch.length === 0 || size + documents[at].length < BATCH_CHARACTERS)) {
      size += documents[at].length;
      batch.push(documents[at++]);
    }
    const answer = await command(scope.database, `{ insert: ${JSON.stringify(scope.collection)}, ordered: true, documents: [${batch.join(',')}] }`);
    charge += answer.requestCharge;
    const failed = answer.reply.writeErrors?.[0];
    if (failed) {
      const place = at - batch.length + plain(failed.index) + 1;
      throw Object.assign(new Error(`Document ${place}: ${failed.errmsg} The ones before it are in.`), { code: 'Error ' + plain(failed.code) });
    }
    onProgress({ done: at, all: documents.length, charge });
  }
}

async function readAll(scope, onProgress) {
  const lines = [];
  let answer = await command(scope.database, { find: scope.collection, batchSize: 500 });
  let charge = answer.requestCharge;
  let batch = answer.reply.cursor.firstBatch;
  for (;;) {
    batch.forEach((each) => lines.push(JSON.stringify(each) + '\n'));
    onProgress({ done: lines.length, charge });
    const id = answer.reply.cursor.id.$numberLong ?? String(answer.reply.cursor.id);
    if (id === '0') return lines;
    answer = await command(scope.database, `{ getMore: NumberLong("${id}"), collection: ${JSON.stringify(scope.collection)} }`);
    charge += answer.requestCharge;
    batch = answer.reply.cursor.nextBatch;
  }
}

export function Transfer({ scope, isView, onDone }) {
  const [state, setState] = useState({});
  const progress = (kind) => (step) => setState({ kind, ...step, busy: true });
  const load = async (event) => {
    const file = event.target.files[0];
    if (!file) return;
    try {
      if (file.size > FILE_BYTES_MAX) throw Object.assign(new Error(`The file has ${bytes(file.size)}; use “orrery import” for more than ${bytes(FILE_BYTES_MAX)}.`), { code: 'TooLarge' });
      const documents = split(await file.text());
      await insert(scope, documents, progress('import'));
      setState((old) => ({ ...old, busy: false }));
      onDone();
    } catch (error) {
      setState((old) => ({ ...old, busy: false, error }));
    }
    event.target.value = '';
  };
  const save = async () => {
    try {
      const lines = await readAll(scope, progress('export'));
      const link = document.createElement('a');
      link.href = URL.createObjectURL(new Blob(lines, { type: 'application/x-ndjson' }));
      link.download = `${scope.database}.${scope.collection}.ndjson`;
      link.click();
      URL.revokeObjectURL(link.href);
      setState((old) => ({ ...old, busy: false }));
    } catch (error) {
      setState((old) => ({ ...old, busy: false, error }));
    }
  };
  return html`<${Panel} title="Import and export"><div class="line">
      ${!isView && html`<label>Import a file of Extended JSON, one document a line or an array <input type="file" accept=".json,.ndjson,.jsonl" disabled=${state.busy} onChange=${load} /></label>`}
      <button type="button" disabled=${state.busy} onClick=${save}>Export as Extended JSON</button></div>
    ${state.kind && html`<div role="status">${state.all && html`<progress max=${state.all} value=${state.done} aria-label="Import"></progress>`}
      ${' '}${number(state.done)}${state.all ? ` of ${number(state.all)}` : ''} documents, ${units(state.charge ?? 0)}${!state.busy && !state.error ? ': done.' : ''}</div>`}
    ${state.error && html`<${Failure} error=${state.error} />`}<//>`;
}
