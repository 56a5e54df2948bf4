package dev.orrery.language.query;

import dev.orrery.value.RawValue;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/**
 * A condition on one value: the operator and operand of a field's filter. Immutable; its records
 * are public where a planner reads them ({@link Comparison}, {@link In}, {@link Regex} ...).
 */
public interface ValuePredicate {
  /**
   * Whether {@code value} satisfies this. {@code value} is null where the field is missing; arrays
   * are taken as they are, the path offers their elements one by one.
   */
  boolean test(@Nullable RawValue value, MatchDetails details);

  /** The operator and its operand as a filter would write them: {@code {$gt: 5}}. */
  BsonDocument document();

  /** Of how many conditions it is made. */
  default int size() {
    return 1;
  }

  /** Whether the elements of an array at the end of the path are offered before the array. */
  default boolean traversesArrays() {
    return true;
  }
}
