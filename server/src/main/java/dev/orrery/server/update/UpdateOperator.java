package dev.orrery.server.update;

/** How one operator is parsed. */
interface UpdateOperator {
  Modifier parse(Argument argument);
}
