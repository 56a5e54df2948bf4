package dev.orrery.language.update;

import static dev.orrery.language.update.Argument.badValue;
import static java.util.Map.entry;

import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.limit.Allowance;
import dev.orrery.value.BsonKey;
import dev.orrery.value.BsonOrder;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import org.bson.BsonArray;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** {@code $addToSet $pop $pull $pullAll $push}: operators on arrays. */
final class ArrayOperators {
  static final Map<String, UpdateOperator> OPERATORS =
      Map.ofEntries(
          entry("$addToSet", ArrayOperators::parseAddToSet),
          entry("$pop", ArrayOperators::parsePop),
          entry("$pull", Pull::parse),
          entry("$pullAll", Pull::parseAll),
          entry("$push", Push::parse));

  private ArrayOperators() {}

  /** {@code $addToSet}: appends the values that the array does not contain yet. */
  private record AddToSet(List<BsonValue> values, BsonOrder order) implements Modifier {
    @Override
    public BsonValue update(BsonValue current, UpdateTarget target) {
      if (!current.isArray()) {
        throw badValue(
            "Cannot apply $addToSet to non-array field. Field named '"
                + target.name()
                + "' has non-array type "
                + BsonText.typeName(current));
      }
      var present = new HashSet<BsonKey>();
      Allowance allowance = Allowance.current();
      for (var element : current.asArray()) {
        allowance.step();
        present.add(BsonKey.of(element, order));
      }
      var added = new BsonArray(current.asArray());
      for (var value : values) {
        if (!present.contains(BsonKey.of(value, order))) {
          added.add(value);
        }
      }
      return added.size() == current.asArray().size() ? current : added;
    }

    @Override
    public BsonValue create(UpdateTarget target) {
      return new BsonArray(values);
    }
  }

  private static Modifier parseAddToSet(Argument argument) {
    var seen = new HashSet<BsonKey>();
    var distinct =
        valuesToAdd(argument).stream()
            .filter(value -> seen.add(BsonKey.of(value, argument.order())))
            .toList();
    return new AddToSet(distinct, argument.order());
  }

  private static List<BsonValue> valuesToAdd(Argument argument) {
    if (!argument.value().isDocument()) {
      return List.of(argument.value());
    }
    var fields = argument.fields();
    if (!fields.next() || !fields.name().equals("$each")) {
      return List.of(argument.value());
    }
    var each = fields.value().toBsonValue();
    if (!each.isArray()) {
      throw new CommandException(
          ErrorCode.TYPE_MISMATCH,
          "The argument to $each in $addToSet must be an array but it was of type "
              + BsonText.typeName(each));
    }
    if (fields.next()) {
      throw badValue("Found unexpected fields after $each in $addToSet: " + allFields(argument));
    }
    return each.asArray();
  }

  /** A document with every field in it, also one that comes twice. */
  private static String allFields(Argument argument) {
    var text = new StringJoiner(", ", "{ ", " }");
    var fields = argument.fields();
    while (fields.next()) {
      text.add(BsonText.element(fields.name(), fields.value().toBsonValue()));
    }
    return text.toString();
  }

  /** {@code $pop}: takes the first or the last element away. */
  private record Pop(boolean isFromFront) implements Modifier {
    @Override
    public BsonValue update(BsonValue current, UpdateTarget target) {
      if (!current.isArray()) {
        throw new CommandException(
            ErrorCode.TYPE_MISMATCH,
            "Path '"
                + target.path()
                + "' contains an element of non-array type '"
                + BsonText.typeName(current)
                + "'");
      }
      var elements = current.asArray();
      if (elements.isEmpty()) {
        return current;
      }
      int size = elements.size();
      return new BsonArray(isFromFront ? elements.subList(1, size) : elements.subList(0, size - 1));
    }

    @Override
    public @Nullable BsonValue create(UpdateTarget target) {
      return null;
    }
  }

  private static Modifier parsePop(Argument argument) {
    var number = WholeNumber.parse(argument.path(), argument.value());
    if (number.error() != null) {
      throw new CommandException(ErrorCode.FAILED_TO_PARSE, number.error());
    }
    if (Math.abs(number.value()) != 1) {
      throw new CommandException(
          ErrorCode.FAILED_TO_PARSE, "$pop expects 1 or -1, found: " + number.value());
    }
    return new Pop(number.value() < 0);
  }
}
