package dev.orrery.server.command.data;

import dev.orrery.language.number.Numbers;
import dev.orrery.server.command.collection.TimeSeries;
import dev.orrery.value.RawDocument;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonValue;

/**
 * Buckets of a time series, as mongorestore brings them, that are inserted as their measurements.
 *
 * @param buckets for each measurement the place of its bucket in the command
 */
record BucketInsert(List<RawDocument> measurements, List<Integer> buckets, boolean isOrdered) {
  static BucketInsert of(TimeSeries series, List<RawDocument> given, boolean isOrdered) {
    var insert = new BucketInsert(new ArrayList<>(), new ArrayList<>(), isOrdered);
    for (int i = 0; i < given.size(); i++) {
      for (RawDocument measurement : series.unpack(given.get(i))) {
        insert.measurements.add(measurement);
        insert.buckets.add(i);
      }
    }
    return insert;
  }

  /** What became of the buckets; one of them has failed when the first of its measurements has. */
  BsonDocument reply(BsonDocument ofMeasurements, int count) {
    var failed = new TreeMap<Integer, BsonValue>();
    for (BsonValue error : ofMeasurements.getArray("writeErrors", new BsonArray())) {
      BsonDocument document = error.asDocument();
      int bucket = buckets.get(document.getInt32("index").getValue());
      failed.putIfAbsent(bucket, document.append("index", new BsonInt32(bucket)));
    }
    long whole = isOrdered && !failed.isEmpty() ? failed.firstKey() : count - failed.size();
    var reply = new BsonDocument("n", Numbers.intOrLong(whole));
    if (!failed.isEmpty()) {
      reply.append("writeErrors", new BsonArray(List.copyOf(failed.values())));
    }
    if (ofMeasurements.containsKey("retriedStmtIds")) {
      reply.append("retriedStmtIds", ofMeasurements.get("retriedStmtIds"));
    }
    return reply;
  }
}
