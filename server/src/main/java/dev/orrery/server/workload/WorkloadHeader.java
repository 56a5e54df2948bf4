package dev.orrery.server.workload;

import org.bson.BsonBoolean;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;

/**
 * What a workload says of itself.
 *
 * @param startMillis when the recording began, since 1970
 * @param isHashed whether values are hashed
 */
public record WorkloadHeader(long startMillis, boolean isHashed) {
  BsonDocument toBson() {
    return new BsonDocument("start", new BsonDateTime(startMillis))
        .append("hashed", BsonBoolean.valueOf(isHashed));
  }

  static WorkloadHeader parse(BsonDocument document) {
    return new WorkloadHeader(
        document.getDateTime("start").getValue(), document.getBoolean("hashed").getValue());
  }
}
