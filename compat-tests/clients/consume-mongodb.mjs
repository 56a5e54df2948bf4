// Follows a collection into a journal, one event a line, and goes on behind the last whole line.
import { appendFileSync, existsSync, readFileSync, truncateSync } from 'node:fs';
import { BSON, MongoClient } from 'mongodb';

const { EJSON } = BSON;

const [uri, namespace, journal] = process.argv.slice(2);
let resumeAfter;
if (existsSync(journal)) {
  const text = readFileSync(journal);
  const end = text.lastIndexOf(10) + 1;
  truncateSync(journal, end); // a kill may have cut the last line
  const lines = text.subarray(0, end).toString().trimEnd().split('\n');
  if (lines[0] !== '') resumeAfter = EJSON.parse(lines[lines.length - 1], { relaxed: false })._id;
}
const client = await new MongoClient(uri).connect();
const [database, collection] = namespace.split('.');
const options = { maxAwaitTimeMS: 500 };
if (resumeAfter) options.resumeAfter = resumeAfter;
const stream = client.db(database).collection(collection).watch([], options);
if (!resumeAfter) {
  await stream.tryNext();
  appendFileSync(journal, EJSON.stringify({ _id: stream.resumeToken }, { relaxed: false }) + '\n');
}
console.log('follows');
for await (const event of stream) {
  appendFileSync(journal, EJSON.stringify(event, { relaxed: false }) + '\n');
}
