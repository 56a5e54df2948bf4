"""Stores and reads documents with python3-pymongo and prints what it sees, one fact a line."""
import sys
from datetime import datetime

from bson import Decimal128, Int64
from pymongo import DESCENDING, MongoClient
from pymongo.errors import BulkWriteError

with MongoClient(sys.argv[1], serverSelectionTimeoutMS=20000) as client:
    things = client[sys.argv[2]].things
    one = things.insert_one({"name": "one", "at": datetime(2020, 2, 29), "price": Decimal128("1.50")})
    many = things.insert_many([{"_id": n, "n": Int64(n), "even": n % 2 == 0} for n in range(1000)])
    print("inserted", len(many.inserted_ids))

    found = things.find_one({"_id": one.inserted_id})
    print("found", found["price"], found["at"].isoformat())
    last = things.find({"even": True}, {"_id": 0, "n": 1}).sort("n", DESCENDING).limit(2)
    print("last", list(last))
    print("read in batches", sum(1 for _ in things.find({"n": {"$gte": 100}}).batch_size(250)))
    try:
        things.insert_many([{"_id": 1}, {"_id": "new"}], ordered=False)
    except BulkWriteError as error:
        print("duplicate", error.details["writeErrors"][0]["code"], error.details["nInserted"])
    updated = things.update_many({"n": {"$lt": 10}}, {"$inc": {"n": 1000}})
    print("updated", updated.matched_count, updated.modified_count)
    print("before", things.find_one_and_update({"_id": 20}, {"$set": {"n": 0}})["n"])
    print("distinct", sorted(things.distinct("even")))
    print("deleted", things.delete_one({"_id": 1}).deleted_count)
    print("estimated", things.estimated_document_count())
    print("index", things.create_index("even"), sorted(things.index_information()))
    print("count", things.count_documents({"even": False}))
    by_even = [{"$group": {"_id": "$even", "n": {"$sum": 1}}}, {"$sort": {"_id": 1}}]
    print("groups", list(things.aggregate(by_even)))
    print("listed", things.database.list_collection_names(), sys.argv[2] in client.list_database_names())
