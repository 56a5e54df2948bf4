package dev.orrery.language.update;

import static dev.orrery.language.update.Argument.badValue;

import dev.orrery.language.number.Numbers;
import dev.orrery.value.BsonOrder;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonNull;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** {@code $sort} of {@code $push}: by the elements themselves, or by fields of theirs. */
record PushSort(List<Key> keys, BsonOrder order) implements Comparator<BsonValue> {
  /** One field; an empty path is the whole element. */
  private record Key(List<String> path, int sign) {}

  static PushSort parse(BsonValue sort, BsonOrder order) {
    if (sort.isDocument()) {
      return new PushSort(keys(sort.asDocument()), order);
    }
    if (!Numbers.isNumber(sort)) {
      throw badValue(
          "The $sort is invalid: use 1/-1 to sort the whole element, or {field:1/-1} to sort"
              + " embedded fields");
    }
    int sign = sign(sort);
    if (sign == 0) {
      throw badValue("The $sort element value must be either 1 or -1");
    }
    return new PushSort(List.of(new Key(List.of(), sign)), order);
  }

  private static List<Key> keys(BsonDocument pattern) {
    if (pattern.isEmpty()) {
      throw badValue("The sort pattern is empty when it should be a set of fields.");
    }
    var keys = new ArrayList<Key>();
    for (var field : pattern.entrySet()) {
      int sign = sign(field.getValue());
      if (sign == 0) {
        throw badValue("The sort element value must be either 1 or -1");
      }
      if (field.getKey().isEmpty()) {
        throw badValue("The sort field cannot be empty");
      }
      var path = UpdatePath.split(field.getKey());
      if (path.contains("")) {
        throw badValue("The sort field is a dotted field but has an empty part: " + field.getKey());
      }
      keys.add(new Key(path, sign));
    }
    return List.copyOf(keys);
  }

  /** 1 or -1, or 0 if it is neither. */
  private static int sign(BsonValue value) {
    double number = Numbers.isNumber(value) ? Numbers.toDouble(value) : 0;
    return Math.abs(number) == 1 ? (int) number : 0;
  }

  @Override
  public int compare(BsonValue left, BsonValue right) {
    for (var key : keys) {
      int difference = order.compare(find(left, key.path()), find(right, key.path()));
      if (difference != 0) {
        return key.sign() * Integer.signum(difference);
      }
    }
    return 0;
  }

  private static BsonValue find(BsonValue element, List<String> path) {
    if (path.isEmpty()) {
      return element;
    }
    BsonValue value = element.isDocument() ? element : null;
    for (String part : path) {
      value = value == null ? null : child(value, part);
    }
    return value == null ? BsonNull.VALUE : value;
  }

  private static @Nullable BsonValue child(BsonValue value, String name) {
    if (value instanceof BsonArray elements) {
      long index = UpdatePath.arrayIndex(name);
      return index >= 0 && index < elements.size() ? elements.get((int) index) : null;
    }
    return value.isDocument() ? value.asDocument().get(name) : null;
  }
}
