import { html, useEffect, useState } from './vendor/preact-htm.mjs';
import { command } from './api.mjs';
import { number } from './format.mjs';
import { Failure, Loaded, Panel, usePolling } from './parts.mjs';

/** What each kind is ordered with, unless somebody writes something else. */
const FIELDS = {
  throttle: 'times: 3, millis: 50', delay: 'millis: 2000', fail: 'code: 112, errorLabels: ["TransientTransactionError"]',
  closeBefore: 'times: 1', closeAfter: 'times: 1', expireCursor: 'times: 1', split: 'every: 100', merge: 'every: 100',
  stepDown: 'millis: 5000', fillDisk: '', jumpTime: 'millis: 3600000',
};
const OF_SERVER = new Set(['stepDown', 'fillDisk', 'jumpTime']);

/** What goes wrong on purpose; nothing where the server lets nobody order it. */
export function Faults({ scope }) {
  const [isAllowed, setAllowed] = useState(false);
  useEffect(() => {
    command('admin', { getParameter: 1, enableTestCommands: 1 })
      .then((answer) => setAllowed(answer.reply.enableTestCommands === true), () => setAllowed(false));
  }, []);
  return isAllowed ? html`<${Ordered} scope=${scope} />` : null;
}

function Ordered({ scope }) {
  const [changes, setChanges] = useState(0);
  const [error, setError] = useState(null);
  const state = usePolling(() => command('admin', { listFaults: 1 }), 2000, [changes]);
  const act = async (body) => {
    try {
      await command('admin', body);
      setError(null);
      setChanges(changes + 1);
    } catch (failure) {
      setError(failure);
    }
  };
  return html`<${Panel} title="Faults on demand" id="faults">
    <${Order} scope=${scope} act=${act} />
    ${error && html`<${Failure} error=${error} />`}
    <${Loaded} state=${state}>${({ reply }) => reply.faults.length === 0
      ? html`<p class="empty">None is ordered.</p>`
      : html`<table class="list"><thead><tr><th>Name</th><th>Fault</th><th class="num">Struck</th><th></th></tr></thead>
        <tbody>${reply.faults.map((each) => html`<tr><td>${each.name}</td><td>${each.fault}</td>
          <td class="num">${number(Number(each.struck.$numberLong))}</td>
          <td><button type="button" onClick=${() => act({ clearFaults: each.name })}>End ${each.name}</button></td></tr>`)}</tbody></table>`}<//>
  <//>`;
}

function Order({ scope, act }) {
  const [name, setName] = useState('console');
  const [kind, setKind] = useState('throttle');
  const [fields, setFields] = useState(FIELDS.throttle);
  const choose = (chosen) => {
    setKind(chosen);
    setFields(FIELDS[chosen]);
  };
  const where = !OF_SERVER.has(kind) && scope?.database
    ? `, database: ${JSON.stringify(scope.database)}` + (scope.collection ? `, collection: ${JSON.stringify(scope.collection)}` : '') : '';
  const order = (event) => {
    event.preventDefault();
    act(`{ injectFault: ${JSON.stringify(name)}, fault: "${kind}"${where}${fields.trim() ? ', ' + fields : ''} }`);
  };
  return html`<form class="line" onSubmit=${order}>
    <label>Name <input required value=${name} onInput=${(event) => setName(event.target.value)} /></label>
    <label>Fault <select value=${kind} onChange=${(event) => choose(event.target.value)}>
      ${Object.keys(FIELDS).map((each) => html`<option value=${each}>${each}</option>`)}</select></label>
    <label>With <input value=${fields} onInput=${(event) => setFields(event.target.value)} /></label>
    <button type="submit">Order</button></form>`;
}
