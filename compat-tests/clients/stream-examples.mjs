// Runs the examples of docs/change-streams.md beside writes, and prints whether their results are
// what the orders come to.
import { MongoClient } from 'mongodb';

const [uri, modules] = process.argv.slice(2);
const load = async (name) => (await import(`${modules}/${name}.mjs`))[name];
const copy = await load('copy');
const count = await load('count');
const materialise = await load('materialise');

const client = await new MongoClient(uri).connect();
const database = client.db('shop');
const admin = client.db('admin');
await admin.command({ shardCollection: 'shop.orders', key: { customer: 'hashed' } });
await admin.command({ shardCollection: 'shop.byDay', key: { day: 'hashed' } });
const orders = database.collection('orders');
const byDay = database.collection('byDay');
const counts = database.collection('counts');
const totals = database.collection('totals');

let seed = 7;
const chance = (n) => (seed = (seed * 48271) % 2147483647) % n;
const customerOf = (id) => `c${id % 5}`;
async function change(id) {
  const order = { _id: id, customer: customerOf(id) };
  const fields = { day: chance(3), total: chance(100) };
  if (chance(4) === 0) await orders.deleteOne(order);
  else await orders.updateOne(order, { $set: fields }, { upsert: true });
}
const pause = () => new Promise((resolve) => setTimeout(resolve, 300));
const isLast = (event) => event.documentKey._id === 'last';

const counted = count(client, orders, counts, (event) => event.documentKey._id === 7);
const viewed = materialise(orders, totals, isLast);
await pause();
for (let id = 0; id < 40; id++) await orders.insertOne({ _id: id, customer: customerOf(id), day: 1, total: 1 });
await counted; // it stopped half way, and goes on from its token
const countedOn = count(client, orders, counts, isLast);
const copied = copy(orders, byDay, 'day', isLast);
for (let i = 0; i < 200; i++) await change(chance(60));
await pause();
await orders.insertOne({ _id: 'last', customer: 'c0', day: 0, total: 0 });
await Promise.all([countedOn, viewed, copied]);

const all = async (collection, filter = {}) =>
  JSON.stringify(await collection.find(filter).sort({ _id: 1 }).toArray());
console.log('copied', (await all(byDay)) === (await all(orders)));
const group = { _id: '$customer', orders: { $sum: 1 }, total: { $sum: '$total' } };
const now = await orders.aggregate([{ $group: group }, { $sort: { _id: 1 } }]).toArray();
console.log('materialised', (await all(totals)) === JSON.stringify(now));
const kept = await counts.find({ _id: /^c/, orders: { $gt: 0 } }).sort({ _id: 1 }).toArray();
const expected = now.map(({ _id, orders }) => ({ _id, orders }));
console.log('counted', JSON.stringify(kept) === JSON.stringify(expected));
await client.close();
