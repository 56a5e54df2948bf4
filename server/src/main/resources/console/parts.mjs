// What several pages are made of.
import { html, useEffect, useRef, useState } from './vendor/preact-htm.mjs';

/** Loads again and again while the page is looked at; keeps the last answer when one fails. */
export function usePolling(load, millis, inputs) {
  const [state, setState] = useState({ data: null, error: null, loading: true });
  useEffect(() => {
    let timer = null;
    const aborter = new AbortController();
    setState((old) => ({ ...old, data: null, error: null, loading: true }));
    const round = async () => {
      if (!document.hidden) {
        try {
          const data = await load(aborter.signal);
          if (!aborter.signal.aborted) setState({ data, error: null, loading: false });
        } catch (error) {
          if (!aborter.signal.aborted) setState((old) => ({ data: old.data, error, loading: false }));
        }
      }
      if (!aborter.signal.aborted && millis > 0) timer = setTimeout(round, millis);
    };
    round();
    return () => {
      aborter.abort();
      clearTimeout(timer);
    };
  }, inputs);
  return state;
}

/** Shows that nothing is there yet, that it failed, or that what is shown is old. */
export function Loaded({ state, children }) {
  if (state.data === null && state.error) return html`<${Failure} error=${state.error} />`;
  if (state.data === null) return html`<p class="empty" role="status">Loading …</p>`;
  return html`
    ${state.error && html`<p class="stale" role="status">Not up to date: ${state.error.message} Trying again …</p>`}
    ${children(state.data)}`;
}

export function Failure({ error }) {
  return html`<div class="failure" role="alert"><strong>${error.code || 'Error'}</strong> ${error.message}</div>`;
}

export function Tile({ label, value, note, bad }) {
  return html`<div class=${'tile' + (bad ? ' bad' : '')}>
    <div class="tile-label">${label}</div><div class="tile-value">${value}</div>
    ${note && html`<div class="tile-note">${note}</div>`}</div>`;
}

export function Panel({ title, aside, children, id }) {
  return html`<section class="panel" id=${id} aria-label=${title}>
    <header><h2>${title}</h2>${aside && html`<div class="aside">${aside}</div>`}</header>${children}</section>`;
}

/** A question that must be answered before something is done; closes by Escape. */
export function Dialog({ title, children, onClose }) {
  const ref = useRef(null);
  useEffect(() => {
    ref.current.showModal();
  }, []);
  return html`<dialog ref=${ref} aria-label=${title} onClose=${onClose} onCancel=${onClose}>
    <header><h2>${title}</h2>
    <button type="button" class="plain" aria-label="Close" onClick=${onClose}>✕</button></header>
    ${children}</dialog>`;
}

export function Choice({ label, options, value, onChange }) {
  return html`<div class="choice" role="group" aria-label=${label}>
    ${options.map(([id, text]) => html`<button type="button" aria-pressed=${value === id ? 'true' : 'false'}
      onClick=${() => onChange(id)}>${text}</button>`)}</div>`;
}
