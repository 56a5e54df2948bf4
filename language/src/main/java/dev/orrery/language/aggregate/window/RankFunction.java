package dev.orrery.language.aggregate.window;

import dev.orrery.language.expression.Dependencies;
import dev.orrery.language.number.Numbers;
import dev.orrery.value.BsonOrder;
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
  public Values open(WindowPartition partition) {
    return new Values() {
      private long rank;
      private @Nullable BsonValue previous;

      @Override
      public BsonValue at(int place) {
        BsonValue value = orNull(partition.sortValue(place));
        boolean isNew =
            place == 0 || kind == Kind.DOCUMENT_NUMBER || order.compare(value, previous) != 0;
        if (isNew) {
          rank = kind == Kind.RANK ? place + 1L : rank + 1;
        }
        previous = value;
        return Numbers.intOrLong(rank);
      }
    };
  }

  private static BsonValue orNull(@Nullable BsonValue value) {
    return value == null ? BsonNull.VALUE : value;
  }
}
