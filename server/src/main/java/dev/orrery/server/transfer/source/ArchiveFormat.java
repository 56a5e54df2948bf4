package dev.orrery.server.transfer.source;

import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;

/*
 * An archive of mongodump, all numbers little endian:
 *
 *   magic        0x8199e26d
 *   prelude      {concurrent_collections, version: "0.1", server_version, tool_version}
 *                {db, collection, metadata: "the text of COLLECTION.metadata.json", size, type}   for each collection
 *                terminator: ff ff ff ff
 *   block        {db, collection, EOF: false, CRC: 0}
 *                documents of that collection
 *                terminator
 *   ...          blocks of several collections may alternate
 *   last block   {db, collection, EOF: true, CRC}, terminator: the collection is complete, and CRC is the
 *                CRC-64 (ECMA) of all its documents
 *
 * With --gzip the whole is one gzip stream. Sources: common/archive in the MongoDB Database Tools.
 */
/** What the reader and the writer of archives both have to know. */
public final class ArchiveFormat {
  public static final int MAGIC = 0x8199e26d;
  public static final int TERMINATOR = -1;
  static final String VERSION = "0.1";

  private ArchiveFormat() {}

  public static BsonDocument prelude(String serverVersion, String toolVersion) {
    return new BsonDocument("concurrent_collections", new BsonInt32(1))
        .append("version", new BsonString(VERSION))
        .append("server_version", new BsonString(serverVersion))
        .append("tool_version", new BsonString(toolVersion));
  }

  public static BsonDocument metadata(SourceCollection collection) {
    return new BsonDocument("db", new BsonString(collection.namespace().database()))
        .append("collection", new BsonString(collection.namespace().collection()))
        .append("metadata", new BsonString(collection.metadata().toJson()))
        .append("size", new BsonInt32(0))
        .append("type", new BsonString(collection.metadata().type()));
  }

  public static BsonDocument header(SourceCollection collection, boolean isEnd, long checksum) {
    return new BsonDocument("db", new BsonString(collection.documents().database()))
        .append("collection", new BsonString(collection.documents().collection()))
        .append("EOF", BsonBoolean.valueOf(isEnd))
        .append("CRC", new BsonInt64(checksum));
  }
}
