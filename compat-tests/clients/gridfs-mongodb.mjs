// Stores a large file in GridFS with the npm package mongodb and reads it back, one fact a line.
import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { GridFSBucket, MongoClient } from 'mongodb';

const hash = (bytes) => createHash('sha256').update(bytes).digest('hex');

const client = await MongoClient.connect(process.argv[2], { serverSelectionTimeoutMS: 20000 });
try {
  const db = client.db(process.argv[3]);
  const bucket = new GridFSBucket(db);
  const content = randomBytes(10 * 1024 * 1024 + 17);
  await pipeline(Readable.from([content]), bucket.openUploadStream('large', { metadata: { kind: 'test' } }));

  const [file] = await bucket.find({ filename: 'large' }).toArray();
  console.log('stored', file.length, file.chunkSize, file.metadata.kind);
  console.log('chunks', await db.collection('fs.chunks').countDocuments({ files_id: file._id }));
  const read = Buffer.concat(await bucket.openDownloadStreamByName('large').toArray());
  console.log('same', hash(read) === hash(content));
  const part = Buffer.concat(await bucket.openDownloadStream(file._id, { start: 300000, end: 600000 }).toArray());
  console.log('part', part.equals(content.subarray(300000, 600000)));
  await bucket.rename(file._id, 'renamed');
  console.log('renamed', (await bucket.find().toArray()).map(({ filename }) => filename).join(' '));
  await bucket.delete(file._id);
  console.log('left', await db.collection('fs.chunks').countDocuments());
} finally {
  await client.close();
}
