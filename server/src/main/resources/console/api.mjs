// Talks to the server. What changes something carries a header that no other site can send.
const HEADERS = { 'X-Orrery-Console': '1' };

export class ApiError extends Error {
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

async function call(path, options = {}) {
  let response;
  try {
    response = await fetch(path, { credentials: 'same-origin', ...options });
  } catch (e) {
    if (e.name === 'AbortError') throw e;
    throw new ApiError(0, 'Unreachable', 'The server does not answer.');
  }
  const text = await response.text();
  let body = null;
  try {
    body = JSON.parse(text);
  } catch {
    // a status without JSON is told below
  }
  if (!response.ok) {
    const error = body?.error ?? { code: 'Http' + response.status, message: text.trim() };
    if (response.status === 401) window.dispatchEvent(new Event('orrery-login'));
    throw new ApiError(response.status, error.code, error.message);
  }
  return body;
}

export const get = (path, signal) => call('/api/v1' + path, { signal });

export const post = (path, body) => call('/api/v1' + path, {
  method: 'POST',
  headers: { ...HEADERS, 'Content-Type': 'application/json' },
  body: typeof body === 'string' ? body : JSON.stringify(body),
});

export const del = (path) => call('/api/v1' + path, { method: 'DELETE', headers: HEADERS });

/** Runs a command, given as an object or as the text of one. */
export const command = (database, body) =>
  post('/command/' + encodeURIComponent(database) + '?format=canonical', body);

export const path = (ns, rest) =>
  `/collections/${encodeURIComponent(ns.database)}/${encodeURIComponent(ns.collection)}${rest}`;
