package dev.orrery.server.command.data;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.query.Filter;
import dev.orrery.language.query.FilterMetadata;
import dev.orrery.language.query.GeoFilters;
import dev.orrery.language.query.Projection;
import dev.orrery.language.query.SortPattern;
import dev.orrery.language.query.TextFilters;
import dev.orrery.server.command.RawNumbers;
import dev.orrery.server.plan.Query;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.View;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawValue;
import java.util.Set;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** The query of a find, compiled: all errors in its filter, sort and projection are found. */
final class FindQuery {
  private FindQuery() {}

  /**
   * Compiles also for a collection that does not exist, so that errors come out; the query is then
   * not to be planned.
   */
  static Query of(DataServices services, @Nullable CollectionStore collection, FindParams params) {
    FindParams.Selection selection = params.selection();
    var scope =
        QueryScope.of(
            collection, selection.collation(), QueryScope.variables(services, selection.let()));
    Filter filter = scope.filter(selection.filter());
    FindParams.Guide guide = selection.guide();
    Query.Output output = output(params.output(), filter, scope);
    Query.Order order = order(selection.sort(), guide.hint(), scope, FilterMetadata.of(filter));
    requireSortKey(selection.sort(), output.projection());
    requireSameDirection(selection.sort(), guide.hint());
    requireNotNatural(filter, selection.sort(), guide.hint());
    requireNoHint(filter, selection.sort(), guide.hint());
    var criteria =
        new Query.Criteria(
            filter,
            selection.filter(),
            scope.collation(),
            new Query.Hints(guide.hint(), guide.min(), guide.max()));
    return new Query(
        new Query.Source(collection, View.NEWEST),
        criteria,
        order,
        new Query.Window(params.page().skip(), params.page().limit()),
        output);
  }

  private static void requireSortKey(RawDocument sort, @Nullable Projection projection) {
    if (sort.isEmpty() && projection != null && projection.metadata().contains("sortKey")) {
      throw new CommandException(
          ErrorCode.BAD_VALUE, "cannot use sortKey $meta projection without a sort");
    }
  }

  /** A search finds its index itself. */
  private static void requireNoHint(Filter filter, RawDocument sort, @Nullable BsonValue hint) {
    boolean isSorted = sort.field("$natural") != null;
    if ((isSorted || hint != null) && TextFilters.find(filter) != null) {
      throw new CommandException(
          ErrorCode.BAD_VALUE,
          isSorted
              ? "text expression not allowed with $natural sort order"
              : "text and hint not allowed in same query");
    }
  }

  /** Who wants the nearest first does not want the natural order. */
  private static void requireNotNatural(Filter filter, RawDocument sort, @Nullable BsonValue hint) {
    boolean isSorted = sort.field("$natural") != null;
    boolean isHinted =
        hint != null && hint.isDocument() && hint.asDocument().containsKey("$natural");
    if ((isSorted || isHinted) && GeoFilters.findNear(filter) != null) {
      throw new CommandException(
          ErrorCode.BAD_VALUE,
          "geoNear expression not allowed with $natural " + (isSorted ? "sort order" : "hint"));
    }
  }

  /** A natural sort is a hint itself, so that no other can stand beside it. */
  private static void requireSameDirection(RawDocument sort, @Nullable BsonValue hint) {
    RawValue natural = sort.field("$natural");
    if (natural == null || hint == null) {
      return;
    }
    BsonValue hinted = hint.isDocument() ? hint.asDocument().get("$natural") : null;
    if (hinted == null) {
      throw new CommandException(
          ErrorCode.BAD_VALUE, "index hint not allowed with $natural sort order");
    }
    if (isNegative(natural) != isNegative(RawValue.of(hinted))) {
      throw new CommandException(
          ErrorCode.BAD_VALUE,
          "$natural hint must be in the same direction as $natural sort order");
    }
  }

  /**
   * @param metadata what the filter finds out of each document
   */
  static Query.Order order(
      RawDocument sort, @Nullable BsonValue hint, QueryScope scope, Set<String> metadata) {
    if (SortPattern.isNatural(sort)) {
      return new Query.Order(null, sort, isNegative(sort.field("$natural")));
    }
    if (!sort.isEmpty()) {
      SortPattern pattern = SortPattern.parse(sort, scope.collation().order(), metadata);
      return new Query.Order(pattern, sort, false);
    }
    BsonValue natural =
        hint != null && hint.isDocument() ? hint.asDocument().get("$natural") : null;
    return natural != null && isNegative(RawValue.of(natural))
        ? new Query.Order(null, RawDocument.EMPTY, true)
        : Query.Order.ANY;
  }

  private static boolean isNegative(RawValue direction) {
    return direction.isNumber() && RawNumbers.toLong(direction) < 0;
  }

  private static Query.Output output(FindParams.Output output, Filter filter, QueryScope scope) {
    RawDocument projection = output.projection();
    Projection parsed =
        projection == null || projection.isEmpty()
            ? null
            : Projection.parse(projection.toBsonDocument(), filter, scope.filters());
    return new Query.Output(
        parsed,
        projection == null ? RawDocument.EMPTY : projection,
        output.isKeyOnly(),
        output.hasRecordId() && !output.isKeyOnly()); // as MongoDB has it
  }
}
