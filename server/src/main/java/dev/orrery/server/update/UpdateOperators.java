package dev.orrery.server.update;

import dev.orrery.server.expression.OperatorTable;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The table of all update operators. */
final class UpdateOperators {
  static final OperatorTable<UpdateOperator> TABLE =
      new OperatorTable<>(
          List.of(
              ArrayOperators.OPERATORS,
              BitwiseOperators.OPERATORS,
              FieldOperators.OPERATORS,
              Map.of("$rename", Rename.OPERATOR)),
          Set.of());

  private UpdateOperators() {}
}
