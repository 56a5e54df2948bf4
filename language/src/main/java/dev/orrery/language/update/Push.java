package dev.orrery.language.update;

import static dev.orrery.language.update.Argument.badValue;

import dev.orrery.language.error.BsonText;
import dev.orrery.language.limit.Allowance;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * {@code $push}: puts values into an array, then sorts it, then cuts it.
 *
 * @param position where the values go; negative counts from the end, too large is the end
 * @param sort null leaves the elements where they are
 * @param slice how many elements stay: the first, or the last if negative
 */
record Push(List<BsonValue> values, long position, @Nullable PushSort sort, long slice)
    implements Modifier {
  static final Set<String> CLAUSES = Set.of("$each", "$slice", "$sort", "$position");

  static Push parse(Argument argument) {
    var value = argument.value();
    if (!value.isDocument() || !value.asDocument().containsKey("$each")) {
      return new Push(List.of(value), Long.MAX_VALUE, null, Long.MAX_VALUE);
    }
    requireClauses(argument);
    var clauses = value.asDocument();
    var each = clauses.get("$each");
    if (!each.isArray()) {
      throw badValue(
          "The argument to $each in $push must be an array but it was of type: "
              + BsonText.typeName(each));
    }
    long slice =
        number(
            clauses,
            "$slice",
            "The value for $slice must be an integer value but was given type: ");
    var sort =
        clauses.containsKey("$sort")
            ? PushSort.parse(clauses.get("$sort"), argument.order())
            : null;
    long position =
        number(
            clauses,
            "$position",
            "The value for $position must be an integer value, not of type: ");
    return new Push(List.copyOf(each.asArray()), position, sort, slice);
  }

  /** Refuses clauses that are unknown, or there twice. */
  private static void requireClauses(Argument argument) {
    var names = new HashSet<String>();
    var clauses = argument.fields();
    while (clauses.next()) {
      String name = clauses.name();
      if (!CLAUSES.contains(name)) {
        throw badValue("Unrecognized clause in $push: " + name);
      }
      if (!names.add(name)) {
        throw badValue("Only one " + name + " is supported.");
      }
    }
  }

  private static long number(BsonDocument clauses, String name, String words) {
    var value = clauses.get(name);
    if (value == null) {
      return Long.MAX_VALUE;
    }
    var number = WholeNumber.parse(name, value);
    if (number.error() != null) {
      throw badValue(words + BsonText.typeName(value));
    }
    return number.value();
  }

  @Override
  public BsonValue update(BsonValue current, UpdateTarget target) {
    if (!current.isArray()) {
      throw badValue(
          "The field '"
              + target.path()
              + "' must be an array but is of type "
              + BsonText.typeName(current)
              + " in document {"
              + target.id("no id")
              + "}");
    }
    var elements = current.asArray();
    // A sort counts as a modification even if it finds everything in order.
    boolean isModified = !values.isEmpty() || sort != null || elements.size() > sliceSize();
    return isModified ? pushedTo(elements) : current;
  }

  @Override
  public BsonValue create(UpdateTarget target) {
    return pushedTo(new BsonArray());
  }

  /** As MongoDB sees it, who tells a position that is the end as a change of the whole. */
  @Override
  public boolean isAppending(BsonValue current) {
    int size = current.asArray().size();
    return size > 0 && position > size && sort == null && size + values.size() <= sliceSize();
  }

  private BsonArray pushedTo(BsonArray elements) {
    List<BsonValue> pushed = new ArrayList<>(elements.size() + values.size());
    pushed.addAll(elements);
    pushed.addAll(insertionPoint(elements.size()), values);
    if (sort != null) {
      pushed.sort(Allowance.current().watch(sort));
    }
    if (pushed.size() > sliceSize()) {
      int size = (int) sliceSize();
      pushed =
          slice >= 0
              ? pushed.subList(0, size)
              : pushed.subList(pushed.size() - size, pushed.size());
    }
    return new BsonArray(pushed);
  }

  private int insertionPoint(int size) {
    return (int) (position < 0 ? Math.max(0, size + position) : Math.min(position, size));
  }

  private long sliceSize() {
    return slice == Long.MIN_VALUE ? Long.MAX_VALUE : Math.abs(slice);
  }
}
