// Starts an Orrery server for tests: Orrery.create(), getUri(), stop().
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const HERE = path.dirname(fileURLToPath(import.meta.url));
const START_MILLIS_MAX = 60_000;
const NEEDS_JAVA = 'needs Java, 17 or newer';

/** What `orrery run` runs: it tells the address, and ends when this process is gone. */
const FOLLOWER = 'console.log(process.env.ORRERY_URI); process.stdin.resume();';

export class Orrery {
  #process;
  #ended;
  #uri;
  #dbName;

  static async create({ options = [], port = 0, dbName = '', java, jar } = {}) {
    const server = new Orrery();
    server.#dbName = dbName;
    await server.#start(findJava(java), findJar(jar), ['--port', String(port), ...options]);
    return server;
  }

  get port() {
    return Number(new URL(this.#uri).port);
  }

  getUri(dbName = this.#dbName) {
    return this.#uri + dbName;
  }

  async stop() {
    this.#hold((handle) => handle.ref?.());
    this.#process.stdin.end();
    await this.#ended;
  }

  async [Symbol.asyncDispose]() {
    await this.stop();
  }

  async #start(java, jar, options) {
    const archive = jar.replace(/\.jar$/, '.jsa');
    const flags = existsSync(archive) ? [`-XX:SharedArchiveFile=${archive}`] : [];
    const quiet = ['-Xlog:disable', '-Xlog:all=error,cds*=off:stderr'];
    const memory = '-Dsun.misc.unsafe.memory.access=allow';
    const run = ['run', '--quiet', ...options, '--', process.execPath, '-e', FOLLOWER];
    const { ORRERY_JAR, ...environment } = process.env;
    this.#process = spawn(java, [...quiet, memory, ...flags, '-jar', jar, ...run], {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...environment, NODE_OPTIONS: '' }, // a debugger is not for the follower
    });
    this.#ended = new Promise((resolve) => this.#process.on('close', resolve));
    this.#uri = await firstLine(this.#process);
    // Whoever forgets to stop it must not wait for it.
    this.#hold((handle) => handle.unref?.());
  }

  #hold(how) {
    [this.#process, ...this.#process.stdio].forEach(how);
  }
}

export { Orrery as MongoMemoryServer };

/** The address, once the server serves. */
function firstLine(server) {
  return new Promise((resolve, reject) => {
    let out = '';
    let err = '';
    const late = setTimeout(() => {
      server.kill();
      reject(new Error(`the server was not ready in ${START_MILLIS_MAX} ms: ${err}`));
    }, START_MILLIS_MAX);
    const settle = (how) => {
      clearTimeout(late);
      how();
    };
    server.stdout.on('data', (data) => {
      out += data;
      if (out.includes('\n')) {
        settle(() => resolve(out.slice(0, out.indexOf('\n')).trim()));
      }
    });
    server.stderr.on('data', (data) => {
      err = (err + data).slice(-10_000);
    });
    server.on('error', (failure) =>
      settle(() => reject(new Error(`${NEEDS_JAVA}: ${failure.message}`))),
    );
    server.on('close', (code) => {
      const why = err.includes('UnsupportedClassVersionError') ? NEEDS_JAVA : err.trim();
      settle(() => reject(new Error(`the server ended with ${code}: ${why}`)));
    });
  });
}

function findJava(given) {
  const program = process.platform === 'win32' ? 'java.exe' : 'java';
  const home = process.env.JAVA_HOME;
  return given ?? (home ? path.join(home, 'bin', program) : program);
}

function findJar(given) {
  const named = given ?? process.env.ORRERY_JAR;
  const places = named
    ? [path.resolve(named)]
    : [path.join(HERE, 'orrery.jar'), path.join(HERE, '../../server/target/orrery.jar')];
  const found = places.find((place) => existsSync(place));
  if (!found) {
    throw new Error(`the server is missing, looked for ${places.join(' and ')}; ORRERY_JAR names it`);
  }
  return found;
}
