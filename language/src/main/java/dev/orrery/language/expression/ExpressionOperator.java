package dev.orrery.language.expression;

import org.bson.BsonValue;

/** Parses the argument of one operator: {@code {$name: argument}}. */
@FunctionalInterface
interface ExpressionOperator {
  Expression parse(String name, BsonValue argument, ParseContext context);
}
