package dev.orrery.language.query;

import static java.util.Map.entry;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.value.RawValue;
import java.util.Map;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.jspecify.annotations.Nullable;

/** {@code $exists $type}: whether a field is there, and what it holds. */
public final class ElementFilters {
  static final Map<String, FilterOperator> OPERATORS =
      Map.ofEntries(
          entry("$exists", ElementFilters::parseExists), entry("$type", ElementFilters::parseType));

  private ElementFilters() {}

  /** {@code $exists: true}; its negation is a {@link Filter.Not} around it. */
  public record Exists() implements ValuePredicate {
    @Override
    public boolean test(@Nullable RawValue value, MatchDetails details) {
      return value != null;
    }

    @Override
    public BsonDocument document() {
      return new BsonDocument("$exists", BsonBoolean.TRUE);
    }
  }

  /** {@code $type}: the value, or an element of the array, is of one of the types. */
  public record HasType(TypeSet types) implements ValuePredicate {
    @Override
    public boolean test(@Nullable RawValue value, MatchDetails details) {
      return types.contains(value);
    }

    @Override
    public BsonDocument document() {
      var codes = new BsonArray();
      types.types().stream().sorted().forEach(type -> codes.add(new BsonInt32(type)));
      return new BsonDocument("$type", codes);
    }
  }

  private static Filter parseExists(OperatorCall call) {
    var exists = call.filter(new Exists());
    return ValueTypes.isTrue(call.argument()) ? exists : new Filter.Not(exists);
  }

  private static Filter parseType(OperatorCall call) {
    var types = TypeSet.parse(call.argument());
    if (types.isEmpty()) {
      throw new CommandException(
          ErrorCode.FAILED_TO_PARSE, call.path() + " must match at least one type");
    }
    return call.filter(new HasType(types));
  }
}
