package dev.orrery.server.command.diagnostic;

import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonTimestamp;

/** The shapes that replica sets give to times. */
final class ReplicaSet {
  /** There was one election, at the beginning of time. */
  static final long TERM = 1;

  private ReplicaSet() {}

  static BsonDocument opTime(BsonTimestamp time) {
    return new BsonDocument("ts", time).append("t", new BsonInt64(TERM));
  }

  static BsonDateTime date(BsonTimestamp time) {
    return new BsonDateTime(Integer.toUnsignedLong(time.getTime()) * 1000);
  }

  static BsonDocument lastWrite(BsonTimestamp time) {
    return new BsonDocument("opTime", opTime(time))
        .append("lastWriteDate", date(time))
        .append("majorityOpTime", opTime(time))
        .append("majorityWriteDate", date(time));
  }
}
