import { html, render, useEffect, useState } from './vendor/preact-htm.mjs';
import { del, get } from './api.mjs';
import { Connect } from './connect.mjs';
import { Data } from './data.mjs';
import { Heat } from './heat.mjs';
import { Honesty } from './honesty.mjs';
import { Login } from './login.mjs';
import { Operations } from './operations.mjs';
import { Overview } from './overview.mjs';
import { Partitions } from './partitions.mjs';
import { usePolling } from './parts.mjs';
import { Query } from './query.mjs';

const PAGES = {
  overview: { title: 'Overview', view: Overview },
  heat: { title: 'Heat map', view: Heat, needsCollection: true },
  partitions: { title: 'Partitions', view: Partitions, needsCollection: true },
  operations: { title: 'Operations', view: Operations },
  query: { title: 'Query', view: Query, needsCollection: true },
  data: { title: 'Data', view: Data },
  connect: { title: 'Connect', view: Connect },
  honesty: { title: 'Honesty', view: Honesty },
};

/** The page and what it is about stand behind the #, so that a reload shows the same. */
function place() {
  const [page, database, collection] = location.hash.replace(/^#\/?/, '').split('/').map(decodeURIComponent);
  return { page: PAGES[page] ? page : 'overview', scope: database ? { database, collection: collection || undefined } : null };
}

function address(page, scope) {
  const parts = [page, scope?.database, scope?.collection].filter((part) => part !== undefined && part !== null);
  return '#/' + parts.map(encodeURIComponent).join('/');
}

function App() {
  const [session, setSession] = useState(null);
  const [failure, setFailure] = useState(null);
  const [now, setNow] = useState(place());
  const check = () => get('/session').then((answer) => { setSession(answer); setFailure(null); },
    (error) => { setFailure(error); setTimeout(check, 2000); });
  useEffect(() => {
    check();
    const moved = () => setNow(place());
    const login = () => setSession((old) => ({ ...old, needsLogin: true }));
    window.addEventListener('hashchange', moved);
    window.addEventListener('orrery-login', login);
    return () => {
      window.removeEventListener('hashchange', moved);
      window.removeEventListener('orrery-login', login);
    };
  }, []);
  useEffect(() => { document.title = PAGES[now.page].title + ' · Orrery'; }, [now.page]);
  if (!session) return html`<p class="boot" role="status">${failure ? failure.message + ' Trying again …' : 'Loading the console …'}</p>`;
  if (session.needsLogin) return html`<${Login} onDone=${check} />`;
  return html`<${Frame} session=${session} now=${now} onLogout=${() => del('/session').then(check)} />`;
}

function Frame({ session, now, onLogout }) {
  const state = usePolling((signal) => get('/collections', signal), 5000, []);
  const collections = state.data?.collections ?? [];
  const page = PAGES[now.page];
  const go = (name, scope) => { location.hash = address(name, scope); };
  const isMissing = page.needsCollection && !now.scope?.collection;
  return html`<a class="skip" href="#main" onClick=${(event) => { event.preventDefault(); document.getElementById('main').focus(); }}>To the content</a>
    <header class="top"><a class="brand" href=${address('overview')}><img src="/icon.svg" alt="" width="26" height="26" />Orrery</a>
      <${Picker} collections=${collections} scope=${now.scope} onScope=${(scope) => go(now.page, scope)} />
      <span class="who">${session.user ? html`${session.user} <button type="button" class="plain" onClick=${onLogout}>Log out</button>` : ''}</span></header>
    <nav aria-label="Pages"><ul>${Object.entries(PAGES).map(([name, each]) => html`<li><a href=${address(name, now.scope)}
      aria-current=${name === now.page ? 'page' : undefined}>${each.title}</a></li>`)}</ul></nav>
    <main id="main" tabindex="-1">${isMissing ? html`<${Choose} title=${page.title} collections=${collections} isLoading=${state.loading} onScope=${(scope) => go(now.page, scope)} />`
      : html`<${page.view} scope=${now.scope} onScope=${(scope) => go('data', scope)} />`}</main>`;
}

function Picker({ collections, scope, onScope }) {
  const databases = [...new Set(collections.map((each) => each.database))];
  const value = scope ? JSON.stringify([scope.database, scope.collection ?? null]) : '';
  const known = collections.some((each) => each.database === scope?.database && (!scope?.collection || each.collection === scope.collection));
  return html`<label class="picker"><span>Show</span><select id="scope" value=${value} onChange=${(event) => {
      const [database, collection] = event.target.value ? JSON.parse(event.target.value) : [];
      onScope(database ? { database, collection: collection ?? undefined } : null);
    }}><option value="">whole server</option>
    ${scope && !known && html`<option value=${value}>${scope.database}${scope.collection ? '.' + scope.collection : ''}</option>`}
    ${databases.map((database) => html`<optgroup label=${database}><option value=${JSON.stringify([database, null])}>${database} (all)</option>
      ${collections.filter((each) => each.database === database).map((each) => html`<option value=${JSON.stringify([database, each.collection])}>${database}.${each.collection}</option>`)}</optgroup>`)}
    </select></label>`;
}

function Choose({ title, collections, isLoading, onScope }) {
  const list = collections.filter((each) => !each.view);
  return html`<h1>${title}</h1>${isLoading ? html`<p class="empty" role="status">Loading …</p>`
    : list.length === 0 ? html`<p class="empty">There is no collection yet. Create one on the page Data, or let a driver do it.</p>`
    : html`<p>Which collection?</p><ul class="choose">${list.slice(0, 100).map((each) => html`<li><button type="button" onClick=${() => onScope({ database: each.database, collection: each.collection })}>
      ${each.database}.<b>${each.collection}</b> <span class="muted">${each.partitions} partitions</span></button></li>`)}</ul>`}`;
}

render(html`<${App} />`, document.getElementById('app'), document.querySelector('.boot'));
