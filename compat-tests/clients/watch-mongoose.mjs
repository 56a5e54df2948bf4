// Watches a model of mongoose and prints what it sees, one fact a line.
import mongoose from 'mongoose';

const [uri, name] = process.argv.slice(2);
await mongoose.connect(uri, { dbName: name });
try {
  const Order = mongoose.model('Order', new mongoose.Schema({ _id: Number, total: Number }));
  await Order.createCollection();
  const stream = Order.watch([], { fullDocument: 'updateLookup', hydrate: true });
  const events = [];
  stream.on('change', (event) => events.push(event));
  await new Promise((resolve) => stream.once('ready', resolve));
  await new Promise((resolve) => setTimeout(resolve, 500));
  await Order.create({ _id: 1, total: 5 });
  await Order.updateOne({ _id: 1 }, { total: 6 });
  await Order.deleteOne({ _id: 1 });
  while (events.length < 3) await new Promise((resolve) => setTimeout(resolve, 10));
  console.log(events.map((event) => event.operationType).join(' '));
  console.log('hydrated', events[0].fullDocument instanceof Order, events[0].fullDocument.total);
  console.log('changed', JSON.stringify(events[1].updateDescription.updatedFields));
  await stream.close();
} finally {
  await mongoose.disconnect();
}
