package dev.orrery.language.update;

import static dev.orrery.language.update.Argument.badValue;

import dev.orrery.language.limit.Allowance;
import dev.orrery.language.query.Filter;
import dev.orrery.language.query.FilterContext;
import dev.orrery.language.query.FilterParser;
import dev.orrery.value.BsonKey;
import dev.orrery.value.BsonOrder;
import dev.orrery.value.RawDocument;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Predicate;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** {@code $pull}, {@code $pullAll}: takes all elements away that match. */
record Pull(Predicate<BsonValue> condition) implements Modifier {
  /** Operators that apply to the element itself, where {@code {b: 1}} applies to its fields. */
  private static final Set<String> VALUE_OPERATORS =
      Set.of(
          "$all",
          "$bitsAllClear",
          "$bitsAllSet",
          "$bitsAnyClear",
          "$bitsAnySet",
          "$elemMatch",
          "$eq",
          "$exists",
          "$geoIntersects",
          "$geoNear",
          "$geoWithin",
          "$gt",
          "$gte",
          "$in",
          "$lt",
          "$lte",
          "$maxDistance",
          "$minDistance",
          "$mod",
          "$ne",
          "$near",
          "$nearSphere",
          "$nin",
          "$not",
          "$options",
          "$regex",
          "$size",
          "$type",
          "$within");

  static Pull parse(Argument argument) {
    var value = argument.value();
    var order = argument.order();
    return switch (value.getBsonType()) {
      case DOCUMENT ->
          isOnValue(value.asDocument())
              ? new Pull(onValue(value, order))
              : new Pull(onFields(value.asDocument(), order));
      case REGULAR_EXPRESSION -> new Pull(onValue(value, order));
      default -> new Pull(element -> order.areEqual(element, value));
    };
  }

  static Pull parseAll(Argument argument) {
    if (!argument.value().isArray()) {
      throw badValue("$pullAll requires an array argument but was given a " + argument.typeName());
    }
    var order = argument.order();
    var keys = new HashSet<BsonKey>();
    argument.value().asArray().forEach(value -> keys.add(BsonKey.of(value, order)));
    return new Pull(element -> keys.contains(BsonKey.of(element, order)));
  }

  private static boolean isOnValue(BsonDocument condition) {
    return !condition.isEmpty() && VALUE_OPERATORS.contains(condition.getFirstKey());
  }

  private static Predicate<BsonValue> onFields(BsonDocument condition, BsonOrder order) {
    Filter filter = filter(condition, order);
    int size = filter.size();
    return element -> {
      Allowance.current().steps(size);
      return element.isDocument() && filter.matches(RawDocument.of(element.asDocument()));
    };
  }

  private static Predicate<BsonValue> onValue(BsonValue condition, BsonOrder order) {
    Filter filter = filter(new BsonDocument("", condition), order);
    int size = filter.size();
    return element -> {
      Allowance.current().steps(size);
      return filter.matches(RawDocument.of(new BsonDocument("", element)));
    };
  }

  private static Filter filter(BsonDocument condition, BsonOrder order) {
    return FilterParser.parse(condition, FilterContext.DEFAULT.withOrder(order).allowing(Set.of()));
  }

  @Override
  public BsonValue update(BsonValue current, UpdateTarget target) {
    if (!current.isArray()) {
      throw badValue("Cannot apply $pull to a non-array value");
    }
    Allowance.current().steps(current.asArray().size());
    var rest = new BsonArray(current.asArray());
    return rest.removeIf(condition) ? rest : current;
  }

  @Override
  public @Nullable BsonValue create(UpdateTarget target) {
    return null;
  }
}
