// mongodb-memory-server with Orrery in the place of its mongod: MONGOMS_SYSTEM_BINARY names that.
import assert from 'node:assert';
import { MongoMemoryReplSet, MongoMemoryServer } from 'mongodb-memory-server-core';
import mongoose from 'mongoose';

async function use(uri) {
  await mongoose.connect(uri);
  const Order = mongoose.models.Order ?? mongoose.model('Order', { total: Number });
  await Order.create({ total: 7 });
  assert.equal((await Order.findOne({ total: 7 })).total, 7);
  await mongoose.disconnect();
}

const single = await MongoMemoryServer.create();
await use(single.getUri());
await single.stop();
console.log('single');

const set = await MongoMemoryReplSet.create({ replSet: { count: 1 } });
await use(set.getUri('shop'));
const session = await mongoose.connect(set.getUri('shop')).then(() => mongoose.startSession());
await session.withTransaction(async () => {
  await mongoose.model('Order').create([{ total: 8 }], { session });
});
await session.endSession();
assert.equal(await mongoose.model('Order').countDocuments(), 2);
await mongoose.disconnect();
await set.stop();
console.log('set');
