package dev.orrery.language.update;

import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** What one operator does with the value of one field. Immutable. */
interface Modifier {
  /**
   * The new value of a field that exists: the same object if nothing changes, null if the field is
   * to be removed. {@code current} itself must not be changed.
   */
  @Nullable BsonValue update(BsonValue current, UpdateTarget target);

  /** The value of a field that does not exist yet; null if it is not to be created. */
  @Nullable BsonValue create(UpdateTarget target);

  /** Whether all it does to that value is to put elements behind those of an array. */
  default boolean isAppending(BsonValue current) {
    return false;
  }

  /** Whether an update that inserts nothing leaves this out. */
  default boolean isOnlyForInsert() {
    return false;
  }

  /** Whether it is no error that a scalar stands in the way of the path. */
  default boolean allowsBlockedPath() {
    return false;
  }
}
