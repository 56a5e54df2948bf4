package dev.orrery.server.command.data;

import dev.orrery.value.RawDocument;
import java.util.HashMap;
import java.util.Map;
import org.bson.BsonArray;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * What up to {@link #STATEMENTS} statements of one retryable write did.
 *
 * @param done a bit for each statement that was carried out
 * @param upserted the {@code _id} of what each upsert inserted, by statement
 * @param image what a findAndModify answers with, or null
 * @param isTransaction whether it was no write at all, but a transaction that is committed
 */
record RetryRecord(
    long txnNumber,
    long done,
    Map<Integer, BsonValue> upserted,
    @Nullable BsonDocument image,
    boolean isTransaction) {
  /** Few enough that writing a record again for each of them costs little. */
  static final int STATEMENTS = Long.SIZE;

  static RetryRecord empty(long txnNumber) {
    return new RetryRecord(txnNumber, 0, Map.of(), null, false);
  }

  static RetryRecord committed(long txnNumber) {
    return new RetryRecord(txnNumber, 0, Map.of(), null, true);
  }

  static RetryRecord of(BsonDocument stored) {
    Map<Integer, BsonValue> upserted = new HashMap<>();
    for (BsonValue each : stored.getArray("upserted", new BsonArray())) {
      BsonDocument one = each.asDocument();
      upserted.put(one.getInt32("stmtId").getValue(), one.get("_id"));
    }
    return new RetryRecord(
        stored.getInt64("txnNum").getValue(),
        stored.getInt64("done").getValue(),
        upserted,
        stored.getDocument("image", null),
        stored.containsKey("state"));
  }

  static int block(int statement) {
    return statement / STATEMENTS;
  }

  boolean isDone(int statement) {
    return (done & 1L << statement % STATEMENTS) != 0;
  }

  RetryRecord with(int statement) {
    return new RetryRecord(
        txnNumber, done | 1L << statement % STATEMENTS, upserted, image, isTransaction);
  }

  RetryRecord withUpsert(int statement, BsonValue id) {
    var more = new HashMap<>(upserted);
    more.put(statement, id);
    return new RetryRecord(txnNumber, done, more, image, isTransaction);
  }

  RetryRecord withImage(RawDocument document) {
    return new RetryRecord(txnNumber, done, upserted, document.toBsonDocument(), isTransaction);
  }

  BsonDocument toBson(BsonDocument id, long nowMillis) {
    var document =
        new BsonDocument("_id", id)
            .append("txnNum", new BsonInt64(txnNumber))
            .append("done", new BsonInt64(done))
            .append("lastWriteDate", new BsonDateTime(nowMillis));
    if (isTransaction) {
      document.append("state", new BsonString("committed"));
    }
    if (!upserted.isEmpty()) {
      var list = new BsonArray();
      upserted.forEach(
          (statement, value) ->
              list.add(new BsonDocument("stmtId", new BsonInt32(statement)).append("_id", value)));
      document.append("upserted", list);
    }
    return image == null ? document : document.append("image", image);
  }
}
