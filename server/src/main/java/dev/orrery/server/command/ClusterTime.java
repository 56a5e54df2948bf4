package dev.orrery.server.command;

import dev.orrery.server.session.ClusterClock;
import dev.orrery.storage.value.BsonEncoder;
import org.bson.BsonDocument;
import org.bson.BsonTimestamp;

/**
 * A cluster time and how replies tell it. Reads between two writes tell the same one, so it is
 * encoded once.
 *
 * @param lastFields what ends a reply in bytes: {@code ok}, {@code $clusterTime} and {@code
 *     operationTime}
 */
record ClusterTime(BsonTimestamp time, BsonDocument field, byte[] lastFields) {
  static ClusterTime of(BsonTimestamp time) {
    BsonDocument field = Replies.clusterTime(time);
    var fields = new BsonEncoder(128);
    Replies.writeOk(fields);
    fields.writeElement("$clusterTime", field);
    fields.writeElement("operationTime", time);
    return new ClusterTime(time, field, fields.toByteArray());
  }

  /** This one if it is still the clock's, else the present one. */
  ClusterTime at(ClusterClock clock) {
    return clock.isAt(time.getValue()) ? this : of(clock.now());
  }

  void appendTo(BsonDocument reply) {
    reply.append("$clusterTime", field).append("operationTime", time);
  }
}
