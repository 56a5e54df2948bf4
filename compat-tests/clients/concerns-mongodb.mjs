// Concerns, preferences, compression, time-outs and cancellation with the npm package mongodb, one fact a line.
import { MongoClient } from 'mongodb';

const options = { serverSelectionTimeoutMS: 20000, compressors: ['zlib'], zlibCompressionLevel: 9 };
const client = await MongoClient.connect(process.argv[2], options);
try {
  const db = client.db(process.argv[3]);
  const things = db.collection('things');
  for (const writeConcern of [{ w: 1 }, { w: 'majority' }, { w: 1, j: true }, { w: 'majority', wtimeoutMS: 5000 }]) {
    await things.insertOne({ big: 'x'.repeat(20000) }, { writeConcern });
  }
  console.log('unacknowledged', (await things.insertOne({}, { writeConcern: { w: 0 } })).acknowledged);
  for (const level of ['local', 'available', 'majority']) {
    await things.find({}, { readConcern: { level } }).toArray();
  }
  const counts = [];
  for (const mode of ['primary', 'primaryPreferred', 'nearest']) {
    counts.push((await things.find({}, { readPreference: mode }).toArray()).length);
  }
  console.log('read by preference', counts.join(' '));
  try {
    await things.insertOne({}, { writeConcern: { w: 3, wtimeoutMS: 100 } });
  } catch (e) {
    console.log('too many members', e.code, e.codeName);
  }

  await things.insertMany(Array.from({ length: 400 }, (_, n) => ({ n })));
  const slow = [{ $set: { a: { $range: [0, 3000] } } }, { $unwind: '$a' }, { $group: { _id: '$a', n: { $sum: '$n' } } }];
  try {
    await things.aggregate(slow, { maxTimeMS: 1 }).toArray();
  } catch (e) {
    console.log('out of time', e.code, e.codeName);
  }
  const controller = new AbortController();
  const running = things.aggregate(slow, { signal: controller.signal }).toArray();
  setTimeout(() => controller.abort(new Error('no longer wanted')), 5);
  console.log('cancelled', await running.then(() => 'no', (e) => e.message));
  console.log('goes on', (await db.command({ ping: 1 })).ok);

  const session = client.startSession({ causalConsistency: true });
  await things.insertOne({ _id: 'causal' }, { session });
  console.log('read own write', (await things.findOne({ _id: 'causal' }, { session }))._id);
  console.log('operation time', session.operationTime !== undefined && session.clusterTime !== undefined);
  await session.endSession();
} finally {
  await client.close();
}
