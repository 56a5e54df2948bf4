package dev.orrery.language.update;

/** How one operator is parsed. */
interface UpdateOperator {
  Modifier parse(Argument argument);
}
