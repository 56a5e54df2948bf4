package dev.orrery.server.command;

import dev.orrery.server.session.ClusterClock;
import dev.orrery.value.BsonEncoder;
import dev.orrery.value.LittleEndian;
import org.bson.BsonDocument;
import org.bson.BsonTimestamp;

/**
 * A cluster time and how replies tell it. Reads between two writes tell the same one; every write
 * makes another, so only its two places in prepared bytes are written anew.
 *
 * @param lastFields what ends a reply in bytes: {@code ok}, {@code $clusterTime} and {@code
 *     operationTime}
 */
record ClusterTime(BsonTimestamp time, byte[] lastFields) {
  private static final byte[] TEMPLATE = template(new BsonTimestamp(0));

  /** Behind {@code ok: double}, {@code $clusterTime: } length, and the name of its first field. */
  private static final int FIRST_OFFSET =
      1
          + "ok".length()
          + 1
          + Double.BYTES
          + 1
          + "$clusterTime".length()
          + 1
          + Integer.BYTES
          + 1
          + "clusterTime".length()
          + 1;

  private static byte[] template(BsonTimestamp time) {
    var fields = new BsonEncoder(128);
    Replies.writeOk(fields);
    fields.writeElement("$clusterTime", Replies.clusterTime(time));
    fields.writeElement("operationTime", time);
    return fields.toByteArray();
  }

  static ClusterTime of(BsonTimestamp time) {
    byte[] fields = TEMPLATE.clone();
    LittleEndian.putInt64(fields, FIRST_OFFSET, time.getValue());
    LittleEndian.putInt64(fields, fields.length - Long.BYTES, time.getValue());
    return new ClusterTime(time, fields);
  }

  /** This one if it is still the clock's, else the present one. */
  ClusterTime at(ClusterClock clock) {
    return clock.isAt(time.getValue()) ? this : of(clock.now());
  }

  /** What ends the reply to a write that was committed at another time. */
  byte[] lastFieldsAt(long operationTime) {
    if (operationTime == 0 || operationTime == time.getValue()) {
      return lastFields;
    }
    byte[] fields = lastFields.clone();
    LittleEndian.putInt64(fields, fields.length - Long.BYTES, operationTime);
    return fields;
  }

  /**
   * @param operationTime when the commit was of which the reply tells; 0 if it tells of none
   */
  void appendTo(BsonDocument reply, long operationTime) {
    reply
        .append("$clusterTime", Replies.clusterTime(time))
        .append("operationTime", operationTime == 0 ? time : new BsonTimestamp(operationTime));
  }
}
