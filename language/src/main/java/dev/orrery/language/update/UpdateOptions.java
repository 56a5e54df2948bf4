package dev.orrery.language.update;

import dev.orrery.language.expression.ParseContext;
import dev.orrery.language.expression.WatchedOrder;
import dev.orrery.value.BsonOrder;
import java.util.List;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/**
 * What an update statement says besides the update itself.
 *
 * @param constants the statement's {@code c}: variables of a pipeline
 * @param order the order of values, by the collation if there is one
 * @param expressions what a pipeline's expressions may refer to: {@code let}, {@code $$NOW}
 */
public record UpdateOptions(
    List<BsonDocument> arrayFilters,
    @Nullable BsonDocument constants,
    boolean isMulti,
    BsonOrder order,
    ParseContext expressions) {

  public UpdateOptions {
    arrayFilters = List.copyOf(arrayFilters);
  }

  /** A single update, no array filters, no collation. */
  public static UpdateOptions of(ParseContext expressions) {
    return new UpdateOptions(List.of(), null, false, WatchedOrder.CANONICAL, expressions);
  }

  public UpdateOptions withArrayFilters(List<BsonDocument> filters) {
    return new UpdateOptions(filters, constants, isMulti, order, expressions);
  }

  public UpdateOptions withConstants(@Nullable BsonDocument newConstants) {
    return new UpdateOptions(arrayFilters, newConstants, isMulti, order, expressions);
  }

  public UpdateOptions forMany(boolean isForMany) {
    return new UpdateOptions(arrayFilters, constants, isForMany, order, expressions);
  }

  public UpdateOptions withOrder(BsonOrder newOrder) {
    return new UpdateOptions(
        arrayFilters, constants, isMulti, newOrder, expressions.withOrder(newOrder));
  }
}
