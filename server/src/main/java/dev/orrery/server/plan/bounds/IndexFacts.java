package dev.orrery.server.plan.bounds;

import dev.orrery.language.query.Collation;
import dev.orrery.language.query.Filter;
import dev.orrery.language.query.FilterParser;
import dev.orrery.storage.PartitionStore;
import dev.orrery.storage.PartitionStore.FieldsSeen;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.value.StringOrder;
import java.util.List;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/**
 * What a query must know of one index, found out once: a filter may have thousands of clauses, and
 * each of them asks.
 */
public final class IndexFacts {
  private final IndexSpec index;
  private final StringOrder strings;
  private final boolean isSameCollation;
  private final FieldsSeen seen;
  private @Nullable Filter partial;

  private IndexFacts(
      IndexSpec index, StringOrder strings, boolean isSameCollation, FieldsSeen seen) {
    this.index = index;
    this.strings = strings;
    this.isSameCollation = isSameCollation;
    this.seen = seen;
  }

  public static IndexFacts of(IndexSpec index, Collation ofQuery, List<PartitionStore> partitions) {
    var seen = FieldsSeen.NOTHING;
    for (PartitionStore partition : partitions) {
      seen = seen.with(partition.fieldsSeen(index));
    }
    BsonDocument collation = index.collation();
    if (collation == null) {
      return new IndexFacts(index, StringOrder.UTF8, ofQuery.isSimple(), seen);
    }
    Collation own = Collation.parse(collation);
    return new IndexFacts(index, own.strings(), own.equals(ofQuery), seen);
  }

  public IndexSpec index() {
    return index;
  }

  /** How the index orders strings. */
  public StringOrder strings() {
    return strings;
  }

  /** Whether the query compares strings as the index does. */
  public boolean isSameCollation() {
    return isSameCollation;
  }

  /** What the documents of the query's partitions had in the fields of the index. */
  public FieldsSeen seen() {
    return seen;
  }

  /** Which documents a partial index takes; null when it takes all. */
  public @Nullable Filter partial() {
    if (partial == null && index.partialFilter() != null) {
      partial = FilterParser.parse(index.partialFilter());
    }
    return partial;
  }
}
