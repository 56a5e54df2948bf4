// Transactions as object mappers such as Prisma run them by the npm package mongodb, one fact a line.
import { MongoClient } from 'mongodb';

const client = new MongoClient(process.argv[2], { serverSelectionTimeoutMS: 20000 });
try {
  const db = client.db(process.argv[3]);
  const users = db.collection('User');
  const posts = db.collection('Post');
  await users.createIndex({ email: 1 }, { unique: true, name: 'User_email_key' });

  // A nested write: a parent and its children, in one transaction that the mapper begins by itself.
  const nested = async (email, titles) => {
    const session = client.startSession();
    session.startTransaction({ readConcern: { level: 'snapshot' }, writeConcern: { w: 'majority' } });
    try {
      const { insertedId } = await users.insertOne({ email }, { session });
      await posts.insertMany(titles.map(title => ({ title, user: insertedId })), { session });
      const read = await users.aggregate([
        { $match: { _id: insertedId } },
        { $lookup: { from: 'Post', localField: '_id', foreignField: 'user', as: 'posts' } },
      ], { session }).toArray();
      await session.commitTransaction();
      return read[0].posts.length;
    } catch (e) {
      await session.abortTransaction();
      throw e;
    } finally {
      await session.endSession();
    }
  };
  console.log('nested', await nested('ann@example.org', ['One', 'Two']));
  try {
    await nested('ann@example.org', ['Three']);
  } catch (e) {
    console.log('unique', e.code, JSON.stringify(e.keyPattern));
  }
  console.log('stored', await users.countDocuments(), await posts.countDocuments());

  // A list of writes that succeed together or not at all.
  const together = async writes => client.withSession(session =>
    session.withTransaction(async () => { for (const write of writes) await write(session); }));
  await together([
    session => users.updateOne({ email: 'ann@example.org' }, { $set: { name: 'Ann' } }, { session }),
    session => users.findOneAndUpdate({ email: 'bob@example.org' }, { $set: { name: 'Bob' } }, { upsert: true, session }),
    session => posts.deleteMany({ title: 'Two' }, { session }),
  ]);
  console.log('together', (await users.find().sort({ email: 1 }).toArray()).map(({ name }) => name).join(' '), await posts.countDocuments());

  // An interactive one that is given up after its time, from outside.
  const late = client.startSession();
  late.startTransaction();
  await users.updateOne({ email: 'ann@example.org' }, { $set: { name: 'late' } }, { session: late });
  await late.abortTransaction();
  await late.endSession();
  console.log('given up', (await users.findOne({ email: 'ann@example.org' })).name);

  // Two that want the same document: one of them runs again, and no increment is lost.
  let runs = 0;
  await Promise.all([1, 2, 3].map(() => client.withSession(session => session.withTransaction(async () => {
    runs++;
    const { visits = 0 } = await users.findOne({ email: 'ann@example.org' }, { session });
    await users.updateOne({ email: 'ann@example.org' }, { $set: { visits: visits + 1 } }, { session });
  }))));
  console.log('visits', (await users.findOne({ email: 'ann@example.org' })).visits, runs >= 3);
} finally {
  await client.close();
}
