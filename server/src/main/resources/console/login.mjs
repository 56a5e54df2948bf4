// SCRAM-SHA-256 in the browser: the password never leaves it.
import { html, useState } from './vendor/preact-htm.mjs';
import { post } from './api.mjs';
import { Failure } from './parts.mjs';

const encoder = new TextEncoder();
const toBase64 = (bytes) => btoa(String.fromCharCode(...new Uint8Array(bytes)));
const fromBase64 = (text) => Uint8Array.from(atob(text), (each) => each.charCodeAt(0));

async function hmac(key, text) {
  const imported = await crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  return new Uint8Array(await crypto.subtle.sign('HMAC', imported, encoder.encode(text)));
}

async function salt(password, salted, iterations) {
  const key = await crypto.subtle.importKey('raw', encoder.encode(password.normalize('NFKC')), 'PBKDF2', false, ['deriveBits']);
  return new Uint8Array(await crypto.subtle.deriveBits({ name: 'PBKDF2', hash: 'SHA-256', salt: salted, iterations }, key, 256));
}

export async function logIn(user, password) {
  const name = user.includes('@') ? user.slice(0, user.lastIndexOf('@')) : user;
  const nonce = toBase64(crypto.getRandomValues(new Uint8Array(24)));
  const first = `n=${name.replace(/=/g, '=3D').replace(/,/g, '=2C')},r=${nonce}`;
  const challenge = await post('/login/start', { user, payload: toBase64(encoder.encode('n,,' + first)) });
  const text = new TextDecoder().decode(fromBase64(challenge.payload));
  const parts = Object.fromEntries(text.split(',').map((part) => [part[0], part.slice(2)]));
  if (!parts.r.startsWith(nonce) || Number(parts.i) < 4096) throw new Error('The server’s answer is not to be trusted.');
  const salted = await salt(password, fromBase64(parts.s), Number(parts.i));
  const clientKey = await hmac(salted, 'Client Key');
  const storedKey = new Uint8Array(await crypto.subtle.digest('SHA-256', clientKey));
  const bare = `c=biws,r=${parts.r}`;
  const message = `${first},${text},${bare}`;
  const signature = await hmac(storedKey, message);
  const proof = toBase64(clientKey.map((each, i) => each ^ signature[i]));
  const done = await post('/login/proceed', { conversation: challenge.conversation, payload: toBase64(encoder.encode(`${bare},p=${proof}`)) });
  const expected = 'v=' + toBase64(await hmac(await hmac(salted, 'Server Key'), message));
  if (!new TextDecoder().decode(fromBase64(done.payload)).startsWith(expected)) throw new Error('The server could not prove that it knows the password.');
}

export function Login({ onDone }) {
  const [state, setState] = useState({});
  if (!window.crypto?.subtle) {
    return html`<main class="login"><h1>Orrery</h1><p class="failure" role="alert">Browsers allow a safe login only over https or on this machine.
      Start the server with --tls, or use http://localhost.</p></main>`;
  }
  const submit = async (event) => {
    event.preventDefault();
    const form = new FormData(event.target);
    setState({ busy: true });
    try {
      await logIn(form.get('user'), form.get('password'));
      onDone();
    } catch (error) {
      setState({ error });
    }
  };
  return html`<main class="login"><form onSubmit=${submit}><h1>Orrery</h1><p>Log in as a user of this server.</p>
    <label>User <input name="user" required autocomplete="username" placeholder="name, or name@database" /></label>
    <label>Password <input name="password" type="password" required autocomplete="current-password" /></label>
    ${state.error && html`<${Failure} error=${state.error} />`}
    <button type="submit" class="primary" disabled=${state.busy}>${state.busy ? 'Checking …' : 'Log in'}</button></form></main>`;
}
