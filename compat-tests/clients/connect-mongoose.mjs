// Connects with the npm package mongoose and prints what it finds, one fact a line.
import mongoose from 'mongoose';

const { connection } = await mongoose.connect(process.argv[2], { serverSelectionTimeoutMS: 20000 });
try {
  console.log('state', mongoose.STATES[connection.readyState]);
  console.log('ping', (await connection.db.admin().ping()).ok);
  console.log('databases', (await connection.listDatabases()).databases.length);
} finally {
  await mongoose.disconnect();
}
