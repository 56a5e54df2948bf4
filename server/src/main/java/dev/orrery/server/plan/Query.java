package dev.orrery.server.plan;

import dev.orrery.language.query.Collation;
import dev.orrery.language.query.Filter;
import dev.orrery.language.query.Projection;
import dev.orrery.language.query.SortPattern;
import dev.orrery.server.plan.bounds.IndexFilters;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.View;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.value.RawDocument;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * What a read asks of one collection, parsed and checked; how it is done is the planner's choice.
 */
public record Query(Source source, Criteria criteria, Order order, Window window, Output output) {
  /** What is read, and as of when. */
  public record Source(CollectionStore collection, View view) {}

  /** Which documents: the filter, its text, the collation, and what the user says about the way. */
  public record Criteria(Filter filter, RawDocument document, Collation collation, Hints hints) {}

  /**
   * What the user prescribes.
   *
   * @param hint an index by name or by key pattern, or {@code {$natural: 1}}; null for none
   * @param min the lower bound of the hinted index, inclusive; null for none
   * @param max the upper bound of the hinted index, exclusive; null for none
   * @param filter the only indexes that may be used, whatever else is said; null for all
   */
  public record Hints(
      @Nullable BsonValue hint,
      @Nullable BsonDocument min,
      @Nullable BsonDocument max,
      IndexFilters.@Nullable Entry filter) {
    public static final Hints NONE = new Hints(null, null, null);

    public Hints(@Nullable BsonValue hint, @Nullable BsonDocument min, @Nullable BsonDocument max) {
      this(hint, min, max, null);
    }

    static Hints of(IndexFilters.Entry filter) {
      return new Hints(null, null, null, filter);
    }
  }

  /**
   * In which order.
   *
   * @param sort null for any order
   * @param document the pattern as it was given; empty without one
   * @param isReverseNatural against natural order, when there is no sort
   */
  public record Order(@Nullable SortPattern sort, RawDocument document, boolean isReverseNatural) {
    public static final Order ANY = new Order(null, RawDocument.EMPTY, false);
  }

  /** Which of the ordered documents; a limit of 0 is none. */
  public record Window(long skip, long limit) {
    public static final Window ALL = new Window(0, 0);

    /** How many documents must be found before the first and up to the last; 0 for all. */
    long needed() {
      return limit == 0 || skip + limit < 0 ? 0 : skip + limit;
    }

    /** How many of so many documents are in it. */
    public long of(long all) {
      long rest = Math.max(0, all - skip);
      return limit == 0 ? rest : Math.min(rest, limit);
    }
  }

  /**
   * What of each document.
   *
   * @param projection null for the whole document
   * @param document the projection as it was given; empty without one
   * @param isKeyOnly the index key instead of the document (returnKey)
   * @param hasRecordId adds {@code $recordId}
   * @param fields the paths of which somebody reads the values, without a projection: others may be
   *     there or not; null if it may be all
   */
  public record Output(
      @Nullable Projection projection,
      RawDocument document,
      boolean isKeyOnly,
      boolean hasRecordId,
      @Nullable Set<String> fields) {
    public static final Output WHOLE = new Output(null, false, false);

    public Output(
        @Nullable Projection projection,
        RawDocument document,
        boolean isKeyOnly,
        boolean hasRecordId) {
      this(projection, document, isKeyOnly, hasRecordId, null);
    }

    /** What has the values of some paths. */
    public static Output having(@Nullable Set<String> fields) {
      return new Output(null, RawDocument.EMPTY, false, false, fields);
    }

    public Output(@Nullable Projection projection, boolean isKeyOnly, boolean hasRecordId) {
      this(projection, RawDocument.EMPTY, isKeyOnly, hasRecordId);
    }
  }

  /** All documents that match, whole, in any order. */
  public static Query of(CollectionStore collection, Filter filter, RawDocument document) {
    var criteria = new Criteria(filter, document, Collation.SIMPLE, Hints.NONE);
    return new Query(
        new Source(collection, View.NEWEST), criteria, Order.ANY, Window.ALL, Output.WHOLE);
  }

  public CollectionStore collection() {
    return source.collection();
  }

  /** The indexes that may be used. */
  List<IndexSpec> indexes() {
    var all = new ArrayList<>(collection().info().readyIndexes());
    if (collection().keyIndex() != null) {
      all.add(collection().keyIndex()); // last: of two that are as good the user's is taken
    }
    IndexFilters.Entry allowed = criteria.hints().filter();
    if (allowed != null) {
      all.removeIf(index -> !allowed.allows(index));
    }
    View view = source.view();
    return view == View.NEWEST
        ? all
        : all.stream().filter(index -> view.has(collection(), index)).toList();
  }

  /** The same as of another moment. */
  public Query at(View view) {
    var changed = new Source(source.collection(), view);
    return new Query(changed, criteria, order, window, output);
  }

  /** The same for other documents; the filter's text stays what the user wrote. */
  Query with(Filter filter) {
    var changed = new Criteria(filter, criteria.document(), criteria.collation(), criteria.hints());
    return new Query(source, changed, order, window, output);
  }

  public Query with(Collation collation) {
    var changed = new Criteria(criteria.filter(), criteria.document(), collation, criteria.hints());
    return new Query(source, changed, order, window, output);
  }

  public Query with(Hints hints) {
    var changed = new Criteria(criteria.filter(), criteria.document(), criteria.collation(), hints);
    return new Query(source, changed, order, window, output);
  }

  public Query with(Order changed) {
    return new Query(source, criteria, changed, window, output);
  }

  public Query with(Window changed) {
    return new Query(source, criteria, order, changed, output);
  }

  public Query with(Output changed) {
    return new Query(source, criteria, order, window, changed);
  }
}
