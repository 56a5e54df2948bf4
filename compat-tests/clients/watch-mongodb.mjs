// Watches a collection, a database and the server with the Node.js driver, comes back with a token,
// and prints what it sees, one fact a line.
import { MongoClient } from 'mongodb';

const [uri, name] = process.argv.slice(2);
const client = await new MongoClient(uri).connect();
try {
  const database = client.db(name);
  await database.createCollection('orders', { changeStreamPreAndPostImages: { enabled: true } });
  const orders = database.collection('orders');
  const stream = orders.watch([], {
    fullDocument: 'updateLookup',
    fullDocumentBeforeChange: 'whenAvailable',
  });
  console.log('nothing yet', await stream.tryNext());
  await orders.insertOne({ _id: 1, total: 5, tags: ['a', 'b'] });
  await orders.updateOne({ _id: 1 }, { $set: { total: 6 }, $unset: { tags: 1 } });
  const insert = await stream.next();
  console.log(insert.operationType, JSON.stringify(insert.fullDocument));
  const update = await stream.next();
  console.log(update.operationType, JSON.stringify(update.updateDescription));
  console.log('before', JSON.stringify(update.fullDocumentBeforeChange));
  await stream.close();

  const session = client.startSession();
  await session.withTransaction(async () => {
    await orders.insertOne({ _id: 2 }, { session });
    await database.collection('lines').insertOne({ _id: 3 }, { session });
  });
  await session.endSession();
  const resumed = database.watch([{ $match: { operationType: 'insert' } }], {
    resumeAfter: insert._id,
  });
  const seen = [await resumed.next(), await resumed.next()];
  console.log('resumed', seen.map((event) => `${event.ns.coll} ${event.documentKey._id}`).join(', '));
  console.log('one transaction', String(seen[0].txnNumber) === String(seen[1].txnNumber));
  await resumed.close();

  const all = client.watch([{ $match: { 'ns.db': name } }], { startAfter: seen[1]._id });
  const events = [];
  all.on('change', (event) => events.push(event.operationType));
  await new Promise((resolve) => setTimeout(resolve, 200));
  await orders.drop();
  while (events.length < 1) await new Promise((resolve) => setTimeout(resolve, 10));
  console.log('server', events.join());
  await all.close();
  try {
    await orders.watch([], { resumeAfter: { _data: 'ABCDEF0123456789' } }).next();
  } catch (error) {
    console.log('bad token', error.code, error.codeName);
  }
} finally {
  await client.close();
}
