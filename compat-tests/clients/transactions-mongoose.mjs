// Transactions with the npm package mongoose, one fact a line.
import mongoose, { Schema } from 'mongoose';

await mongoose.connect(process.argv[2], { dbName: process.argv[3], serverSelectionTimeoutMS: 20000 });
try {
  const Author = mongoose.model('Author', new Schema({ name: { type: String, unique: true }, countOfBooks: Number }));
  const Book = mongoose.model('Book', new Schema({ title: String, author: { type: Schema.Types.ObjectId, ref: 'Author' } }));
  await Promise.all([Author.init(), Book.init()]);
  await Book.createCollection();
  const author = await Author.create({ name: 'Ann', countOfBooks: 0 });
  const addBook = async (title, session) => {
    await Book.create([{ title, author }], { session });
    await Author.updateOne({ _id: author }, { $inc: { countOfBooks: 1 } }, { session });
  };
  const counts = async () => `${await Book.countDocuments()} ${(await Author.findById(author)).countOfBooks}`;

  const session = await mongoose.startSession();
  await session.withTransaction(async () => {
    await addBook('One', session);
    console.log('inside', await Book.countDocuments().session(session), 'outside', await Book.countDocuments());
  });
  console.log('committed', await counts());

  await mongoose.connection.transaction(async own => { await addBook('Two', own); });
  console.log('by the connection', await counts());

  const document = await Book.findOne({ title: 'Two' });
  try {
    await mongoose.connection.transaction(async own => {
      document.title = 'Three';
      await document.save({ session: own });
      await addBook('Four', own);
      await Author.create([{ name: 'Ann' }], { session: own });
    });
  } catch (e) {
    console.log('aborted', e.code, document.isModified('title'));
  }
  console.log('after the abort', await counts(), (await Book.findById(document)).title);

  let runs = 0;
  await Promise.all([1, 2, 3, 4].map(n => mongoose.connection.transaction(async own => {
    runs++;
    await addBook(`Many ${n}`, own);
  })));
  console.log('at the same time', await counts(), runs >= 4);
  await session.endSession();
} finally {
  await mongoose.disconnect();
}
