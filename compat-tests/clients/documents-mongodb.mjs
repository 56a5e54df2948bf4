// Stores and reads documents with the npm package mongodb and prints what it sees, one fact a line.
import { Decimal128, Long, MongoClient, ObjectId } from 'mongodb';

const client = await MongoClient.connect(process.argv[2], { serverSelectionTimeoutMS: 20000 });
try {
  const things = client.db(process.argv[3]).collection('things');
  const one = await things.insertOne({ name: 'one', at: new Date(0), price: Decimal128.fromString('1.50') });
  console.log('inserted', one.insertedId instanceof ObjectId);
  const many = await things.insertMany(
    Array.from({ length: 1000 }, (_, n) => ({ _id: n, n, even: n % 2 === 0, tags: ['t' + (n % 3)] })));
  console.log('inserted', many.insertedCount);

  const found = await things.findOne({ name: 'one' });
  console.log('found', found.price.toString(), found.at.toISOString(), found._id.equals(one.insertedId));
  console.log('none', await things.findOne({ name: 'two' }));
  const last = things.find({ even: true, tags: 't1' }).sort({ n: -1 }).project({ n: 1 }).limit(3);
  console.log('last', JSON.stringify(await last.toArray()));
  let read = 0;
  for await (const thing of things.find({ n: { $gte: Long.fromNumber(100) } }).batchSize(250)) {
    read += thing.n >= 100 ? 1 : 0;
  }
  console.log('read in batches', read);
  try {
    await things.insertOne({ _id: 1 });
  } catch (e) {
    console.log('duplicate', e.code, JSON.stringify(e.keyValue));
  }
  const raised = await things.updateMany({ n: { $lt: 10 } }, { $inc: { n: 1000 }, $push: { tags: 'high' } });
  console.log('updated', raised.matchedCount, raised.modifiedCount);
  const upserted = await things.updateOne({ _id: 'new' }, { $set: { n: 1 } }, { upsert: true });
  console.log('upserted', upserted.upsertedCount, upserted.upsertedId);
  const replaced = await things.findOneAndReplace({ _id: 'new' }, { n: 2 }, { returnDocument: 'after' });
  console.log('replaced', JSON.stringify(replaced));
  console.log('distinct', (await things.distinct('tags')).sort().join(' '));
  const bulk = await things.bulkWrite([
    { insertOne: { document: { _id: 'bulk', n: 1 } } },
    { updateOne: { filter: { _id: 'bulk' }, update: { $mul: { n: 5 } } } },
    { deleteOne: { filter: { _id: 'new' } } },
  ]);
  console.log('bulk', bulk.insertedCount, bulk.modifiedCount, bulk.deletedCount);
  console.log('deleted', (await things.deleteMany({ even: false })).deletedCount);
  console.log('estimated', await things.estimatedDocumentCount());
} finally {
  await client.close();
}
