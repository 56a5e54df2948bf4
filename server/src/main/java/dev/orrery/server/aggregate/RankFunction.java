package dev.orrery.server.aggregate;

import dev.orrery.server.expression.Dependencies;
import dev.orrery.server.expression.Numbers;
import dev.orrery.storage.value.BsonOrder;
import org.bson.BsonNull;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** {@code $rank $denseRank $documentNumber}: the place of a document in its partition. */
record RankFunction(Kind kind, BsonOrder order) implements WindowFunction {
  /** What becomes of documents that sort equal. */
  enum Kind {
    /** They share a place, and leave a gap behind them. */
    RANK,
    /** They share a place. */
    DENSE_RANK,
    /** They are numbered as they come. */
    DOCUMENT_NUMBER
  }

  @Override
  public void addDependencies(Dependencies dependencies) {}

  @Override
  public BsonValue[] compute(WindowPartition partition) {
    var results = new BsonValue[partition.size()];
    long rank = 0;
    BsonValue previous = null;
    for (int i = 0; i < results.length; i++) {
      BsonValue value = orNull(partition.sortValue(i));
      boolean isNew = i == 0 || kind == Kind.DOCUMENT_NUMBER || order.compare(value, previous) != 0;
      if (isNew) {
        rank = kind == Kind.RANK ? i + 1L : rank + 1;
      }
      previous = value;
      results[i] = Numbers.intOrLong(rank);
    }
    return results;
  }

  private static BsonValue orNull(@Nullable BsonValue value) {
    return value == null ? BsonNull.VALUE : value;
  }
}
