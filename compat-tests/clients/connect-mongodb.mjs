// Connects with the npm package mongodb and prints what it finds, one fact a line.
import { MongoClient } from 'mongodb';

const client = await MongoClient.connect(process.argv[2], { serverSelectionTimeoutMS: 20000 });
try {
  const admin = client.db('admin');
  console.log('ping', (await admin.command({ ping: 1 })).ok);
  console.log('version', (await admin.admin().buildInfo()).version);
  console.log('set', (await admin.command({ hello: 1 })).setName);
  const { databases } = await admin.admin().listDatabases();
  console.log('databases', databases.length);
  try {
    await admin.command({ noSuchThing: 1 });
  } catch (e) {
    console.log('unknown', e.code, e.codeName);
  }
} finally {
  await client.close();
}
