package dev.orrery.language.aggregate.stage;

import dev.orrery.language.query.Collation;
import dev.orrery.language.query.Filter;
import dev.orrery.language.query.SortPattern;
import dev.orrery.value.RawDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * What the head of a pipeline asks of its collection, so that indexes can serve it.
 *
 * @param sort null for any order
 * @param skip how many of the ordered documents are left out
 * @param limit how many follow; 0 is all
 */
public record SourceQuery(
    Criteria criteria,
    @Nullable SortPattern sort,
    RawDocument sortDocument,
    long skip,
    long limit) {

  /**
   * Which documents.
   *
   * @param document the filter as it was written
   * @param hint what the user prescribes; null for nothing
   */
  public record Criteria(
      Filter filter, RawDocument document, Collation collation, @Nullable BsonValue hint) {}

  public static SourceQuery all(Collation collation, @Nullable BsonValue hint) {
    var criteria = new Criteria(Filter.ALL, RawDocument.EMPTY, collation, hint);
    return new SourceQuery(criteria, null, RawDocument.EMPTY, 0, 0);
  }

  public SourceQuery with(Filter filter, RawDocument document) {
    var changed = new Criteria(filter, document, criteria.collation(), criteria.hint());
    return new SourceQuery(changed, sort, sortDocument, skip, limit);
  }

  public SourceQuery with(SortPattern pattern, RawDocument document) {
    return new SourceQuery(criteria, pattern, document, skip, limit);
  }

  public SourceQuery withWindow(long newSkip, long newLimit) {
    return new SourceQuery(criteria, sort, sortDocument, newSkip, newLimit);
  }
}
