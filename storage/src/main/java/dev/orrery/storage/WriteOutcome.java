package dev.orrery.storage;

import dev.orrery.storage.catalog.IndexKeyException;
import dev.orrery.storage.catalog.IndexSpec;
import java.util.concurrent.CompletionStage;

/**
 * What became of one operation of a batch.
 *
 * @param index the unique index that was violated, or is about to be as far as others have told;
 *     null unless {@code status} is DUPLICATE, and maybe also if it is CONFLICT
 * @param key the encoded key that exists already; null unless {@code status} is DUPLICATE
 * @param limitBytes what one partition key may hold; 0 unless {@code status} is PARTITION_KEY_FULL
 * @param problem why no keys could be made; null unless {@code status} is UNINDEXABLE
 * @param freed completes when it can be tried again; null unless {@code status} is CLAIMED
 */
public record WriteOutcome(
    Status status,
    IndexSpec index,
    byte[] key,
    IndexKeyException problem,
    long limitBytes,
    CompletionStage<?> freed) {
  /** The ways an operation can end. */
  public enum Status {
    APPLIED,
    /** Another document has the same primary key or unique key. */
    DUPLICATE,
    /**
     * The document changed or went since it was read, or its partition was split: read it again.
     */
    CONFLICT,
    /**
     * An open transaction has changed the document, or one with the same unique key: try again when
     * it has ended. Nothing of the batch was applied.
     */
    CLAIMED,
    /** The documents of this partition key would pass the size allowed for one key. */
    PARTITION_KEY_FULL,
    /** An index cannot take the document, such as one with two arrays in a compound key. */
    UNINDEXABLE,
    /** Not tried, or undone, because of another operation of the batch. */
    NOT_APPLIED
  }

  public static final WriteOutcome APPLIED =
      new WriteOutcome(Status.APPLIED, null, null, null, 0, null);
  public static final WriteOutcome CONFLICT =
      new WriteOutcome(Status.CONFLICT, null, null, null, 0, null);
  public static final WriteOutcome NOT_APPLIED =
      new WriteOutcome(Status.NOT_APPLIED, null, null, null, 0, null);

  /** To be tried again when a transaction has ended. */
  public static WriteOutcome claimed(CompletionStage<?> freed) {
    return new WriteOutcome(Status.CLAIMED, null, null, null, 0, freed);
  }

  public static WriteOutcome partitionKeyFull(long limitBytes) {
    return new WriteOutcome(Status.PARTITION_KEY_FULL, null, null, null, limitBytes, null);
  }

  public static WriteOutcome duplicate(IndexSpec index, byte[] key) {
    return new WriteOutcome(Status.DUPLICATE, index, key, null, 0, null);
  }

  /** Somebody has a key in that index, or has given one up, that the transaction cannot see. */
  public static WriteOutcome conflict(IndexSpec index) {
    return new WriteOutcome(Status.CONFLICT, index, null, null, 0, null);
  }

  public static WriteOutcome unindexable(IndexKeyException problem) {
    return new WriteOutcome(Status.UNINDEXABLE, null, null, problem, 0, null);
  }

  public boolean isApplied() {
    return status == Status.APPLIED;
  }
}
