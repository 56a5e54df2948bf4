package dev.orrery.language.update;

import dev.orrery.language.expression.OperatorTable;
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
