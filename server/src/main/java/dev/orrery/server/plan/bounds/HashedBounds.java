package dev.orrery.server.plan.bounds;

import dev.orrery.language.limit.Allowance;
import dev.orrery.language.query.Comparison;
import dev.orrery.language.query.In;
import dev.orrery.language.query.ValuePredicate;
import dev.orrery.storage.index.MongoHash;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonInt64;
import org.jspecify.annotations.Nullable;

/** The hashes of values that an equality asks for; a hash knows no other condition. */
public final class HashedBounds {
  private static final RawValue UNDEFINED = new RawValue(RawTypes.UNDEFINED, new byte[0], 0);

  private HashedBounds() {}

  public static @Nullable FieldBounds of(ValuePredicate predicate, PredicateBounds plain) {
    FieldBounds byValue = plain.of(predicate);
    List<RawValue> operands = operands(predicate);
    if (operands == null || byValue == null) {
      return null;
    }
    var hashes = new ArrayList<Interval>();
    Allowance allowance = Allowance.current();
    for (RawValue operand : operands) {
      allowance.step();
      hashes.add(hash(operand, plain));
      if (operand.type() == RawTypes.NULL) {
        hashes.add(hash(UNDEFINED, plain));
      }
    }
    return new FieldBounds(Intervals.of(hashes), false, byValue.excludesMissing());
  }

  private static @Nullable List<RawValue> operands(ValuePredicate predicate) {
    if (predicate instanceof Comparison comparison) {
      return comparison.operator() == Comparison.Operator.EQUAL
          ? List.of(comparison.operand())
          : null;
    }
    return predicate instanceof In in && in.regexes().isEmpty() ? in.operands() : null;
  }

  private static Interval hash(RawValue value, PredicateBounds plain) {
    long hash = MongoHash.forIndex(value, plain.strings());
    return Interval.point(new BsonInt64(hash), plain.strings());
  }
}
