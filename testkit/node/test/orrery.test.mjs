import assert from 'node:assert';
import { spawn } from 'node:child_process';
import net from 'node:net';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { MongoMemoryServer, Orrery } from '../index.mjs';

const INDEX = fileURLToPath(new URL('../index.mjs', import.meta.url));

function isOpen(port) {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1', () => socket.destroy() && resolve(true));
    socket.on('error', () => resolve(false));
  });
}

test('a server is there until it is stopped', async () => {
  const server = await Orrery.create({ dbName: 'shop' });
  assert.match(server.getUri(), /^mongodb:\/\/127\.0\.0\.1:\d+\/shop$/);
  assert.equal(server.getUri('other'), server.getUri().replace('shop', 'other'));
  assert.equal(await isOpen(server.port), true);
  await server.stop();
  assert.equal(await isOpen(server.port), false);
  await server.stop();
});

test('several run side by side', async () => {
  const servers = await Promise.all([Orrery.create(), MongoMemoryServer.create()]);
  assert.notEqual(servers[0].port, servers[1].port);
  await Promise.all(servers.map((server) => server.stop()));
});

test('what makes no sense is said', async () => {
  await assert.rejects(Orrery.create({ options: ['--prot=1'] }), /ended with 2: .*--prot/);
  await assert.rejects(Orrery.create({ jar: '/no/such.jar' }), /looked for \/no\/such.jar/);
  await assert.rejects(Orrery.create({ java: '/no/such/java' }), /needs Java, 17 or newer/);
});

test('it ends with a process that is killed', async () => {
  const script = `import { Orrery } from ${JSON.stringify(INDEX)};
    console.log((await Orrery.create()).port); setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script]);
  const port = Number(await new Promise((resolve) => child.stdout.once('data', resolve)));
  assert.equal(await isOpen(port), true);
  child.kill('SIGKILL');
  const end = Date.now() + 30_000;
  while ((await isOpen(port)) && Date.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.equal(await isOpen(port), false);
});

test('who forgets to stop it ends all the same', async () => {
  const script = `import { Orrery } from ${JSON.stringify(INDEX)};
    console.log((await Orrery.create()).port);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script]);
  const code = await new Promise((resolve) => child.on('close', resolve));
  assert.equal(code, 0);
});
