package dev.orrery.storage.postgres;

import dev.orrery.storage.RecordCursor;
import dev.orrery.storage.StoredDocument;
import dev.orrery.storage.WorkMeter;
import dev.orrery.storage.postgres.PartReads.Found;
import dev.orrery.storage.postgres.PartReads.Question;
import dev.orrery.storage.postgres.PartReads.Target;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Documents of a partition in the order of their numbers, by pages; it holds nothing but its place.
 */
final class PostgresScan implements RecordCursor {
  private static final int PAGE_FIRST = 16;
  private static final int PAGE_MAX = 256;
  private static final int PAGE_GROWTH = 4;
  private static final long PAGE_BYTES = 4L << 20;

  private final PostgresPartition partition;
  private final boolean isReverse;
  private final Queue<StoredDocument> documents = new ArrayDeque<>();
  private int size = PAGE_FIRST;
  private long last;

  PostgresScan(PostgresPartition partition, boolean isReverse) {
    this.partition = partition;
    this.isReverse = isReverse;
    this.last = isReverse ? Long.MAX_VALUE : Long.MIN_VALUE;
  }

  /** A page, cut off where it has too many bytes; the first document always belongs to it. */
  private static String page(boolean isMoved, boolean isReverse) {
    String order = isReverse ? " DESC" : "";
    return PartReads.FENCE
        + "SELECT rid, ver, body FROM (SELECT rid, ver, body, sum(octet_length(body)) OVER (ORDER BY"
        + " rid"
        + order
        + ") - octet_length(body) AS before FROM (SELECT d.rid, d.ver, d.body FROM doc d"
        + (isMoved ? " WHERE d.part = ANY (?)" : " WHERE d.part = ?")
        + (isReverse ? " AND d.rid < ?" : " AND d.rid > ?")
        + " AND d.pkey >= ? AND d.pkey < ? ORDER BY d.rid"
        + order
        + " LIMIT ?) page) summed WHERE before < ?"
        + PartReads.END
        + " ORDER BY r.rid"
        + order;
  }

  @Override
  public @Nullable StoredDocument next(WorkMeter meter) {
    return partition.metered(documents.poll(), meter);
  }

  @Override
  public CompletionStage<Boolean> load(WorkMeter meter) {
    return partition
        .reader
        .ask(this::page)
        .thenApply(
            found -> {
              for (Found one : found) {
                documents.add(partition.stored(one));
                last = one.record();
              }
              size = Math.min(PAGE_MAX, PAGE_GROWTH * size);
              return !found.isEmpty();
            });
  }

  private List<Found> page(DatabaseSession session) {
    List<Found> found = new PartReads(partition, session).ask(PartReads::found, this::question);
    return found == null ? List.of() : found;
  }

  private Question question(Target at) {
    return new Question(
        page(at.isMoved(), isReverse),
        at.parts(),
        at.isMoved() ? at.parts() : (Object) at.parts()[0],
        last,
        at.low(),
        at.high(),
        size,
        PAGE_BYTES);
  }
}
