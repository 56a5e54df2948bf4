package dev.orrery.compat.soak;

import java.io.IOException;
import java.util.Random;
import org.bson.BsonArray;
import org.bson.BsonDocument;

/** Splits and merges partitions of the collection that everybody writes to. */
final class PartitionActor implements Actor {
  /** Merges are preferred beyond this many, so that the store stays small. */
  private static final int PARTITIONS_MANY = 12;

  private final SoakClient client;

  PartitionActor(SoakRun run) {
    this.client = new SoakClient(run, "soak");
  }

  @Override
  public int pauseMillis() {
    return 700;
  }

  /** Either may be refused: the partition was split meanwhile, or has one key only. */
  @Override
  public void act(Random random) throws IOException {
    BsonDocument reply = client.must("{listPartitions: 'docs'}");
    BsonArray partitions = reply.getArray("partitions");
    int which = random.nextInt(partitions.size());
    boolean isMerge = random.nextInt(PARTITIONS_MANY) < partitions.size() - 1;
    if (isMerge && partitions.size() > 1) {
      int first = Math.min(which, partitions.size() - 2);
      client.command(
          "{mergePartitions: 'docs', partitions: [%d, %d]}"
              .formatted(id(partitions, first), id(partitions, first + 1)));
    } else {
      client.command("{splitPartition: 'docs', partition: %d}".formatted(id(partitions, which)));
    }
  }

  private static int id(BsonArray partitions, int index) {
    return partitions.get(index).asDocument().getNumber("id").intValue();
  }
}
