"""Watches with Debian's python3-pymongo and prints what it sees, one fact a line."""
import sys

from pymongo import MongoClient
from pymongo.errors import OperationFailure

with MongoClient(sys.argv[1], serverSelectionTimeoutMS=20000) as client:
    orders = client[sys.argv[2]].orders
    orders.insert_one({"_id": 0})
    with orders.watch(full_document="updateLookup", max_await_time_ms=200) as stream:
        print("nothing yet", stream.try_next())
        print("token", "_data" in stream.resume_token)
        orders.insert_one({"_id": 1, "total": 5})
        orders.update_one({"_id": 1}, {"$inc": {"total": 1}})
        orders.replace_one({"_id": 1}, {"total": 7})
        orders.delete_one({"_id": 1})
        events = [next(stream) for _ in range(4)]
    print([event["operationType"] for event in events])
    print("looked up", events[1]["fullDocument"], events[1]["updateDescription"]["updatedFields"])
    with orders.watch(resume_after=events[1]["_id"], max_await_time_ms=200) as stream:
        print("resumed", [next(stream)["operationType"] for _ in range(2)])
    with orders.watch(start_at_operation_time=events[3]["clusterTime"]) as stream:
        print("at a time", next(stream)["operationType"])
    with client[sys.argv[2]].watch(max_await_time_ms=200) as stream:
        orders.drop()
        print("database", next(stream)["operationType"])
    try:
        orders.watch([{"$group": {"_id": None}}])
    except OperationFailure as failure:
        print("refused", failure.code, failure.details["codeName"])
