package dev.orrery.language.query;

import dev.orrery.language.limit.Allowance;
import dev.orrery.value.BsonOrder;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/**
 * {@code $in}: the value equals one of {@code operands}, which are sorted and distinct, or matches
 * one of the regular expressions. Null also equals missing.
 */
public record In(List<RawValue> operands, List<Regex> regexes, BsonOrder order)
    implements ValuePredicate {

  /** Sorting more than that counts as steps. */
  private static final int MANY = 64;

  public In {
    operands = sorted(operands, order.rawValues());
    regexes = List.copyOf(regexes);
  }

  private static List<RawValue> sorted(List<RawValue> operands, Comparator<RawValue> order) {
    var sorted = new ArrayList<>(operands);
    sorted.sort(operands.size() > MANY ? Allowance.current().watch(order) : order);
    var distinct = new ArrayList<RawValue>(sorted.size());
    for (var operand : sorted) {
      if (distinct.isEmpty() || order.compare(distinct.get(distinct.size() - 1), operand) != 0) {
        distinct.add(operand);
      }
    }
    return List.copyOf(distinct);
  }

  @Override
  public boolean test(@Nullable RawValue value, MatchDetails details) {
    if (value == null) {
      return hasNull();
    }
    if (Collections.binarySearch(operands, value, order.rawValues()) >= 0) {
      return true;
    }
    if (!regexes.isEmpty()) {
      Allowance.current().steps(regexes.size());
    }
    for (int i = 0; i < regexes.size(); i++) {
      if (regexes.get(i).test(value, details)) {
        return true;
      }
    }
    return false;
  }

  @Override
  public BsonDocument document() {
    var array = new BsonArray();
    operands.forEach(operand -> array.add(operand.toBsonValue()));
    regexes.forEach(regex -> array.add(regex.value()));
    return new BsonDocument("$in", array);
  }

  /** Whether null, and with it a missing field, is among the operands. */
  public boolean hasNull() {
    for (int i = 0; i < operands.size() && i < 2; i++) { // only MinKey sorts before null
      if (operands.get(i).type() == RawTypes.NULL) {
        return true;
      }
    }
    return false;
  }
}
