// Lists, counts and indexes with the npm package mongodb and prints what it sees, one fact a line.
import { MongoClient } from 'mongodb';

const client = await MongoClient.connect(process.argv[2], { serverSelectionTimeoutMS: 20000 });
const names = (things) => things.map((thing) => thing.name).sort().join(' ');
try {
  const database = client.db(process.argv[3]);
  const orders = await database.createCollection('orders');
  await orders.insertMany([1, 2, 3, 4].map((n) => ({ _id: n, total: n * 10, by: n % 2 ? 'ann' : 'bob' })));
  console.log('index', await orders.createIndex({ by: 1, total: -1 }));
  console.log('unique', await orders.createIndex({ total: 1 }, { unique: true, name: 'by total' }));
  console.log('indexes', names(await orders.indexes()));
  try {
    await orders.insertOne({ _id: 5, total: 10 });
  } catch (e) {
    console.log('duplicate', e.code, JSON.stringify(e.keyPattern));
  }
  await orders.dropIndex('by total');
  console.log('indexes', names(await orders.indexes()));
  console.log('count', await orders.countDocuments({ by: 'ann' }));
  const totals = orders.aggregate([
    { $match: { total: { $gt: 10 } } },
    { $group: { _id: '$by', total: { $sum: '$total' } } },
    { $sort: { _id: 1 } },
  ]);
  console.log('totals', JSON.stringify(await totals.toArray()));
  console.log('collections', names(await database.listCollections().toArray()));
  const { databases } = await client.db().admin().listDatabases({ nameOnly: true });
  console.log('databases', databases.some(({ name }) => name === database.databaseName));
  console.log('dropped', await orders.drop(), await database.dropDatabase());
} finally {
  await client.close();
}
