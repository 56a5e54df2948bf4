// Documents as a tree, as a table and as text.
import { html } from './vendor/preact-htm.mjs';
import { scalar, show } from './format.mjs';

export function Tree({ value, name }) {
  const simple = scalar(value);
  if (simple !== null) return html`<div class="leaf">${name !== undefined && html`<b>${name}</b>: `}<code>${simple}</code></div>`;
  const entries = Object.entries(value);
  return html`<details open=${entries.length <= 12}><summary>${name !== undefined && html`<b>${name}</b>: `}
      <span class="muted">${Array.isArray(value) ? `${entries.length} items` : `${entries.length} fields`}</span></summary>
    ${entries.map(([key, item]) => html`<${Tree} name=${key} value=${item} />`)}</details>`;
}

export function DocumentTable({ documents, actions }) {
  const columns = [...new Set(documents.flatMap((each) => Object.keys(each)))].slice(0, 20);
  return html`<div class="scroll" tabindex="0"><table class="list" id="documents"><thead><tr>${columns.map((name) => html`<th>${name}</th>`)}${actions && html`<th>Actions</th>`}</tr></thead>
    <tbody>${documents.map((each) => html`<tr>${columns.map((name) => html`<td><code class="value">${each[name] === undefined ? '' : cell(each[name])}</code></td>`)}
      ${actions && html`<td class="actions">${actions(each)}</td>`}</tr>`)}</tbody></table></div>`;
}

function cell(value) {
  const text = scalar(value) ?? show(value, '  ');
  return text.length > 120 ? text.slice(0, 120) + '…' : text;
}

export function Documents({ documents, view, actions }) {
  if (documents.length === 0) return html`<p class="empty">No documents.</p>`;
  if (view === 'table') return html`<${DocumentTable} documents=${documents} actions=${actions} />`;
  if (view === 'text') return html`<pre class="documents" tabindex="0">${documents.map((each) => show(each)).join(',\n')}</pre>`;
  return html`<div class="documents">${documents.map((each) => html`<article class="document"><${Tree} value=${each} />
    ${actions && html`<div class="actions">${actions(each)}</div>`}</article>`)}</div>`;
}

export const VIEWS = [['tree', 'Tree'], ['table', 'Table'], ['text', 'Text']];
