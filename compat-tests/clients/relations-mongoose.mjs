// Models that refer to each other, sessions and a partition key with the npm package mongoose, one fact a line.
import mongoose, { Schema } from 'mongoose';

await mongoose.connect(process.argv[2], { dbName: process.argv[3], serverSelectionTimeoutMS: 20000 });
try {
  const Author = mongoose.model('Author', new Schema({ name: String }));
  const Book = mongoose.model('Book', new Schema({
    title: { type: String, required: true },
    author: { type: Schema.Types.ObjectId, ref: 'Author' },
    reviews: [{ stars: { type: Number, min: 1, max: 5 } }],
  }));
  const author = await Author.create({ name: 'Ann' });
  await Book.create([{ title: 'One', author }, { title: 'Two', author, reviews: [{ stars: 4 }] }]);
  const books = await Book.find().sort('title').populate('author');
  console.log('populated', books.map(({ title, author: { name } }) => `${title} by ${name}`).join(', '));
  books[1].reviews[0].stars = 5;
  books[1].reviews.push({ stars: 3 });
  await books[1].save();
  console.log('stars', (await Book.findOne({ 'reviews.stars': 5 })).reviews.map(({ stars }) => stars).join(' '));
  try {
    await Book.create({ title: 'Three', reviews: [{ stars: 9 }] });
  } catch (e) {
    console.log('invalid', e.name);
  }

  const admin = mongoose.connection.getClient().db('admin');
  await admin.command({ shardCollection: `${process.argv[3]}.orders`, key: { customer: 'hashed' } });
  const Order = mongoose.model('Order', new Schema(
    { customer: String, total: Number }, { shardKey: { customer: 1 }, collection: 'orders' }));
  const order = await Order.create({ customer: 'c1', total: 1 });
  order.total = 2;
  await order.save();
  console.log('by partition key', (await Order.findOne({ customer: 'c1' })).total);
  await order.deleteOne();
  console.log('left', await Order.countDocuments());

  const session = await mongoose.startSession();
  await Author.create([{ name: 'Bob' }], { session });
  console.log('in a session', (await Author.findOne({ name: 'Bob' }).session(session)).name);
  await session.endSession();
  console.log('cursor', (await Author.find().sort('name').cursor({ batchSize: 1 }).toArray()).length);
} finally {
  await mongoose.disconnect();
}
