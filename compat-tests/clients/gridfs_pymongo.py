"""Stores a large file in GridFS with python3-gridfs and reads it back, one fact a line."""
import os
import sys

from gridfs import GridFSBucket
from pymongo import MongoClient

with MongoClient(sys.argv[1], serverSelectionTimeoutMS=20000) as client:
    bucket = GridFSBucket(client[sys.argv[2]])
    content = os.urandom(10 * 1024 * 1024 + 17)
    file_id = bucket.upload_from_stream("large", content, metadata={"kind": "test"})
    stored = next(bucket.find({"filename": "large"}))
    print("stored", stored.length, stored.chunk_size, stored.metadata["kind"])
    print("same", bucket.open_download_stream(file_id).read() == content)
    bucket.delete(file_id)
    print("left", client[sys.argv[2]].fs.chunks.count_documents({}))
