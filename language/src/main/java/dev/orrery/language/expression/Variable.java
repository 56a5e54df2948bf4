package dev.orrery.language.expression;

import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** What a variable name stands for while an expression is parsed. */
sealed interface Variable {
  /** The current document: {@code $$ROOT}, and {@code $$CURRENT} unless it was bound anew. */
  record Root() implements Variable {}

  /** A value known before any document is read: {@code $$NOW}, a command's {@code let}. */
  record Known(@Nullable BsonValue value) implements Variable {}

  /** A value found in the scope at evaluation. */
  record Slot(int slot) implements Variable {}
}
