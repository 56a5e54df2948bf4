package dev.orrery.benchmarks.workload;

import dev.orrery.benchmarks.servers.Target;
import java.io.IOException;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;

/** Collections of Orrery that lie in several physical partitions. */
final class Partitioned {
  private Partitioned() {}

  static void create(Target target, String collection, String key, int partitions)
      throws IOException {
    target.run(
        "admin",
        new BsonDocument("shardCollection", new BsonString(Loading.DATABASE + "." + collection))
            .append("key", new BsonDocument(key, new BsonString("hashed")))
            .append("numInitialChunks", new BsonInt32(partitions)));
  }

  /** How many partitions there are, cheaply; of all collections. */
  static int count(Target target) throws IOException {
    return target
        .run("config", Loading.find("chunks", new BsonDocument(), 0))
        .getDocument("cursor")
        .getArray("firstBatch")
        .size();
  }

  /** Makes one partition out of the two that there are. */
  static void mergeAll(Target target, String collection) throws IOException {
    var partitions = new BsonArray();
    for (BsonValue one :
        target
            .run(Loading.DATABASE, new BsonDocument("listPartitions", new BsonString(collection)))
            .getArray("partitions")) {
      partitions.add(one.asDocument().get("id"));
    }
    target.run(
        Loading.DATABASE,
        new BsonDocument("mergePartitions", new BsonString(collection))
            .append("partitions", partitions));
  }
}
