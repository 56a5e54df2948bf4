// Works on a model with the npm package mongoose and prints what it sees, one fact a line.
import mongoose, { Schema } from 'mongoose';

await mongoose.connect(process.argv[2], { dbName: process.argv[3], serverSelectionTimeoutMS: 20000 });
try {
  const schema = new Schema(
    { name: { type: String, unique: true }, tags: [String], seen: { type: Number, default: 0 } },
    { timestamps: true });
  schema.index({ tags: 1, seen: -1 });
  const Thing = mongoose.model('Thing', schema);
  await Thing.init();
  console.log('indexes', (await Thing.listIndexes()).map(({ name }) => name).sort().join(' '));

  const thing = await new Thing({ name: 'a', tags: ['x'] }).save();
  thing.tags.push('y');
  thing.seen += 1;
  await thing.save();
  await Thing.create([{ name: 'b' }, { name: 'c', tags: ['y'] }]);
  const found = await Thing.findOne({ tags: 'y' }).sort('name');
  console.log('found', found.name, found.tags.join(' '), found.seen, found.createdAt instanceof Date, found.__v);
  console.log('names', (await Thing.find({ tags: 'y' }).sort('name').lean()).map(({ name }) => name).join(' '));
  try {
    await Thing.create({ name: 'a' });
  } catch (e) {
    console.log('duplicate', e.code);
  }
  console.log('updated', (await Thing.updateMany({}, { $inc: { seen: 1 } })).modifiedCount);
  console.log('count', await Thing.countDocuments({ seen: { $gte: 1 } }));
  console.log('deleted', (await Thing.deleteMany({ name: { $in: ['a', 'b'] } })).deletedCount);
} finally {
  await mongoose.disconnect();
}
