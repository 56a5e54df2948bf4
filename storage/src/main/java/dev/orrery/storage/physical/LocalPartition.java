package dev.orrery.storage.physical;

import dev.orrery.storage.Fetch;
import dev.orrery.storage.PartitionStatistics;
import dev.orrery.storage.PartitionStore;
import dev.orrery.storage.StoredDocument;
import dev.orrery.storage.WorkMeter;
import dev.orrery.storage.structure.PartitionFiles;
import dev.orrery.value.BsonEncoder;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A partition in this process. Its stages are complete when it gives them: it reads from memory,
 * and what would wait throws on an event loop and waits on any other thread.
 */
public interface LocalPartition extends PartitionStore {
  CompletionStage<Boolean> YES = CompletableFuture.completedFuture(true);
  CompletionStage<Boolean> NO = CompletableFuture.completedFuture(false);

  /** See {@link #find}. */
  @Nullable StoredDocument findNow(byte[] primaryKey, WorkMeter meter);

  /** See {@link #copy}. */
  boolean copyNow(byte[] primaryKey, BsonEncoder out, WorkMeter meter);

  /** See {@link #read}. */
  @Nullable StoredDocument readNow(long recordId, WorkMeter meter);

  /** Its structures, if anybody has needed them; else null. */
  @Nullable PartitionFiles filesIfOpen();

  @Override
  default @Nullable PartitionStatistics statisticsAtHand() {
    return filesIfOpen() == null ? null : statistics();
  }

  @Override
  default CompletionStage<@Nullable StoredDocument> find(byte[] primaryKey, WorkMeter meter) {
    return CompletableFuture.completedFuture(findNow(primaryKey, meter));
  }

  @Override
  default CompletionStage<Boolean> copy(byte[] primaryKey, BsonEncoder out, WorkMeter meter) {
    return copyNow(primaryKey, out, meter) ? YES : NO;
  }

  @Override
  default CompletionStage<@Nullable StoredDocument> read(long recordId, WorkMeter meter) {
    return CompletableFuture.completedFuture(readNow(recordId, meter));
  }

  @Override
  default CompletionStage<?> fetch(Fetch records, WorkMeter meter) {
    for (int i = 0; i < records.size(); i++) {
      records.found(i, readNow(records.recordId(i), meter));
    }
    return YES;
  }

  /** Nothing is saved by reading several at a time, and what is read in vain is paid for. */
  @Override
  default int fetchSize() {
    return 1;
  }
}
