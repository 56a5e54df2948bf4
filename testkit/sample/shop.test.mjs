// SAMPLE=without-index and SAMPLE=without-patience show what these tests are good for.
import assert from 'node:assert';
import { after, before, test } from 'node:test';
import { MongoClient } from 'mongodb';

import { Shop } from './shop.mjs';

const WAY = process.env.SAMPLE ?? 'right';
const client = new MongoClient(process.env.MONGODB_URI, { retryWrites: false });
const shop = new Shop(client.db('shop'), WAY === 'without-patience' ? { attemptsMax: 1 } : {});

before(async () => {
  await shop.open({ hasIndex: WAY !== 'without-index' });
  for (let i = 0; i < 200; i++) {
    await shop.place({ _id: i, customer: `c${i % 50}`, note: '-'.repeat(400) });
  }
});

after(() => client.close());

test('the orders of a customer are found', async () => {
  const orders = await shop.ordersOf('c7');
  assert.deepEqual(orders.map((order) => order._id).sort((a, b) => a - b), [7, 57, 107, 157]);
});

test('what is refused for its rate is tried again', async () => {
  const admin = client.db('admin');
  await admin.command({ injectFault: 'busy', collection: 'orders', times: 2, millis: 5 });
  let struck;
  try {
    await shop.place({ _id: 1000, customer: 'patient' });
    assert.equal((await shop.ordersOf('patient')).length, 1);
  } finally {
    ({ struck } = await admin.command({ clearFaults: 'busy' }));
  }
  assert.equal(Number(struck.busy), 2);
});
