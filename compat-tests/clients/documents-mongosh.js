// Stores and reads documents in mongosh and prints what it sees, one fact a line.
print(db.c.insertMany([{ _id: 1, a: 1 }, { _id: 2, a: [1, 2] }, { _id: 3 }]));
print(db.c.find({ a: 1 }));
print('updated', db.c.updateOne({ _id: 3 }, { $set: { a: 5 } }).modifiedCount);
print('distinct', db.c.distinct('a').sort());
print('index', db.c.createIndex({ a: 1 }));
print(db.c.aggregate([{ $unwind: '$a' }, { $count: 'values' }]));
print('count', db.c.countDocuments(), db.c.stats().count, Number(db.stats().objects));
print('collections', db.getCollectionNames());
