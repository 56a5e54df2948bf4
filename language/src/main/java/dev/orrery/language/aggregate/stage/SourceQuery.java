package dev.orrery.language.aggregate.stage;

import dev.orrery.language.query.Collation;
import dev.orrery.language.query.Filter;
import dev.orrery.language.query.SortPattern;
import dev.orrery.value.RawDocument;
import java.util.Set;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * What the head of a pipeline asks of its collection, so that indexes can serve it.
 *
 * @param sort null for any order
 */
public record SourceQuery(
    Criteria criteria,
    @Nullable SortPattern sort,
    RawDocument sortDocument,
    Window window,
    Demand demand) {

  /**
   * Which documents.
   *
   * @param document the filter as it was written
   * @param hint what the user prescribes; null for nothing
   */
  public record Criteria(
      Filter filter, RawDocument document, Collation collation, @Nullable BsonValue hint) {}

  /**
   * Which of the ordered documents.
   *
   * @param skip how many are left out
   * @param limit how many follow; 0 is all
   */
  public record Window(long skip, long limit) {
    static final Window ALL = new Window(0, 0);
  }

  /**
   * What the stages read of the documents; whoever gives more does no harm.
   *
   * @param fields the paths whose values they read; null if it may be anything
   * @param one if of all documents that group together they read but one; null if they read all
   */
  public record Demand(@Nullable Set<String> fields, @Nullable OneOfEach one) {
    public static final Demand EVERYTHING = new Demand(null, null);
  }

  /**
   * Of the documents with the same value at a path one, in the order of the sort.
   *
   * @param isLast the last, else the first
   */
  public record OneOfEach(String path, boolean isLast) {}

  public static SourceQuery all(Collation collation, @Nullable BsonValue hint) {
    var criteria = new Criteria(Filter.ALL, RawDocument.EMPTY, collation, hint);
    return new SourceQuery(criteria, null, RawDocument.EMPTY, Window.ALL, Demand.EVERYTHING);
  }

  public long skip() {
    return window.skip;
  }

  public long limit() {
    return window.limit;
  }

  public SourceQuery with(Filter filter, RawDocument document) {
    var changed = new Criteria(filter, document, criteria.collation(), criteria.hint());
    return new SourceQuery(changed, sort, sortDocument, window, demand);
  }

  public SourceQuery with(SortPattern pattern, RawDocument document) {
    return new SourceQuery(criteria, pattern, document, window, demand);
  }

  public SourceQuery with(Demand changed) {
    return new SourceQuery(criteria, sort, sortDocument, window, changed);
  }

  public SourceQuery withWindow(long newSkip, long newLimit) {
    var changed = new Window(newSkip, newLimit);
    return new SourceQuery(criteria, sort, sortDocument, changed, demand);
  }
}
