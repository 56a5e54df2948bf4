"""Connects with Debian's python3-pymongo and prints what it finds, one fact a line."""
import sys

from pymongo import MongoClient
from pymongo.errors import OperationFailure

with MongoClient(sys.argv[1], serverSelectionTimeoutMS=20000) as client:
    print("ping", client.admin.command("ping")["ok"])
    print("version", client.server_info()["version"])
    print("set", client.admin.command("ismaster")["setName"])
    print("databases", client.list_database_names())
    try:
        client.admin.command("noSuchThing")
    except OperationFailure as failure:
        print("unknown", failure.code, failure.details["codeName"])
