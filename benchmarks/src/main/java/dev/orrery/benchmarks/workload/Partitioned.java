package dev.orrery.benchmarks.workload;

import dev.orrery.benchmarks.servers.Target;
import java.io.IOException;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;

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

  /** The id of the partition that holds most documents. */
  static int largest(Target target, String collection) throws IOException {
    var list =
        target
            .run(Loading.DATABASE, new BsonDocument("listPartitions", new BsonString(collection)))
            .getArray("partitions");
    BsonDocument largest = list.get(0).asDocument();
    for (var partition : list) {
      if (documents(partition.asDocument()) > documents(largest)) {
        largest = partition.asDocument();
      }
    }
    return largest.getNumber("id").intValue();
  }

  private static long documents(BsonDocument partition) {
    return partition.getNumber("documents").longValue();
  }

  static void split(Target target, String collection, int partition) throws IOException {
    target.run(
        Loading.DATABASE,
        new BsonDocument("splitPartition", new BsonString(collection))
            .append("partition", new BsonInt32(partition)));
  }
}
