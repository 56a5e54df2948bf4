package dev.orrery.language.expression;

import static dev.orrery.language.error.BsonText.typeName;
import static java.util.Map.entry;

import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.limit.Allowance;
import java.util.List;
import java.util.Map;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** {@code $arrayToObject $getField $mergeObjects $objectToArray $setField $unsetField}. */
final class ObjectExpressions {
  static final Map<String, ExpressionOperator> OPERATORS =
      Map.ofEntries(
          entry("$arrayToObject", Arguments.unary(ObjectExpressions::arrayToObject)),
          entry("$getField", ObjectExpressions::parseGetField),
          entry(
              "$mergeObjects",
              Arguments.any(FunctionCall.Grouping.NEIGHBOURS, ObjectExpressions::mergeObjects)),
          entry("$objectToArray", Arguments.unary(ObjectExpressions::objectToArray)),
          entry("$setField", ObjectExpressions::parseSetField),
          entry("$unsetField", ObjectExpressions::parseSetField));

  private static final NamedArguments.Shape GET_FIELD =
      new NamedArguments.Shape(
          List.of("field", "input"),
          ErrorCode.LOCATION_3041701,
          "%s",
          ErrorCode.LOCATION_3041701,
          "%s found an unknown argument: %s");

  private ObjectExpressions() {}

  /** {@code [["a", 1]]} or {@code [{k: "a", v: 1}]} becomes {@code {a: 1}}. */
  private static BsonValue arrayToObject(@Nullable BsonValue input) {
    if (Truth.isNullish(input)) {
      return BsonNull.VALUE;
    }
    if (!input.isArray()) {
      throw new CommandException(
          ErrorCode.LOCATION_40386,
          "$arrayToObject requires an array input, found: " + typeName(input));
    }
    var document = new BsonDocument();
    List<BsonValue> elements = input.asArray();
    if (elements.isEmpty()) {
      return document;
    }
    BsonValue first = elements.get(0);
    if (!first.isArray() && !first.isDocument()) {
      throw new CommandException(
          ErrorCode.LOCATION_40398,
          "Unrecognised input type format for $arrayToObject: " + typeName(first));
    }
    for (BsonValue element : elements) {
      if (first.isArray()) {
        putPair(document, element);
      } else {
        putKeyValue(document, element);
      }
    }
    return document;
  }

  private static void putPair(BsonDocument into, BsonValue element) {
    if (!element.isArray()) {
      throw new CommandException(
          ErrorCode.LOCATION_40396,
          "$arrayToObject requires a consistent input format. Elements must"
              + "all be arrays or all be objects. Array was detected, now found: "
              + typeName(element));
    }
    List<BsonValue> pair = element.asArray();
    if (pair.size() != 2) {
      throw new CommandException(
          ErrorCode.LOCATION_40397,
          "$arrayToObject requires an array of size 2 arrays,found array of size: " + pair.size());
    }
    if (!pair.get(0).isString()) {
      throw new CommandException(
          ErrorCode.LOCATION_40395,
          "$arrayToObject requires an array of key-value pairs, where the key must be of type "
              + "string. Found key type: "
              + typeName(pair.get(0)));
    }
    put(into, pair.get(0).asString(), pair.get(1), ErrorCode.LOCATION_4940400);
  }

  private static void putKeyValue(BsonDocument into, BsonValue element) {
    if (!element.isDocument()) {
      throw new CommandException(
          ErrorCode.LOCATION_40391,
          "$arrayToObject requires a consistent input format. Elements must"
              + "all be arrays or all be objects. Object was detected, now found: "
              + typeName(element));
    }
    BsonDocument pair = element.asDocument();
    if (pair.size() != 2) {
      throw new CommandException(
          ErrorCode.LOCATION_40392,
          "$arrayToObject requires an object keys of 'k' and 'v'. Found incorrect number of keys:"
              + pair.size());
    }
    BsonValue key = pair.get("k");
    BsonValue value = pair.get("v");
    if (key == null || value == null) {
      throw new CommandException(
          ErrorCode.LOCATION_40393,
          "$arrayToObject requires an object with keys 'k' and 'v'. "
              + "Missing either or both keys from: "
              + BsonText.aggregated(pair));
    }
    if (!key.isString()) {
      throw new CommandException(
          ErrorCode.LOCATION_40394,
          "$arrayToObject requires an object with keys 'k' and 'v', where the value of 'k' must "
              + "be of type string. Found type: "
              + typeName(key));
    }
    put(into, key.asString(), value, ErrorCode.LOCATION_4940401);
  }

  private static void put(BsonDocument into, BsonString key, BsonValue value, ErrorCode code) {
    if (key.getValue().indexOf('\0') >= 0) {
      throw new CommandException(code, "Key field cannot contain an embedded null byte");
    }
    into.put(key.getValue(), value);
  }

  private static BsonValue objectToArray(@Nullable BsonValue value) {
    if (Truth.isNullish(value)) {
      return BsonNull.VALUE;
    }
    if (!value.isDocument()) {
      throw new CommandException(
          ErrorCode.LOCATION_40390,
          "$objectToArray requires a document input, found: " + typeName(value));
    }
    var pairs = new BsonArray(value.asDocument().size());
    for (Map.Entry<String, BsonValue> field : value.asDocument().entrySet()) {
      pairs.add(
          new BsonDocument("k", new BsonString(field.getKey())).append("v", field.getValue()));
    }
    return pairs;
  }

  private static BsonValue mergeObjects(@Nullable BsonValue[] values) {
    // One array operand stands for its elements, as with every accumulator.
    if (values.length == 1 && values[0] != null && values[0].isArray()) {
      return mergeObjects(values[0].asArray().toArray(BsonValue[]::new));
    }
    var merged = new BsonDocument();
    Allowance allowance = Allowance.current();
    for (BsonValue value : values) {
      Work.count(value, allowance);
      if (Truth.isNullish(value)) {
        continue;
      }
      if (!value.isDocument()) {
        throw new CommandException(
            ErrorCode.LOCATION_40400,
            "$mergeObjects requires object inputs, but input "
                + BsonText.aggregated(value)
                + " is of type "
                + typeName(value));
      }
      merged.putAll(value.asDocument());
    }
    return merged;
  }

  private static Expression parseGetField(String name, BsonValue argument, ParseContext context) {
    Expression field;
    Expression input;
    if (argument.isDocument() && !isOperator(argument.asDocument())) {
      NamedArguments named = NamedArguments.parse(name, argument, context, GET_FIELD);
      String text = "%s requires '";
      field = named.required("field", ErrorCode.LOCATION_3041702, text + "field' to be specified");
      input = named.required("input", ErrorCode.LOCATION_3041703, text + "input' to be specified");
    } else {
      field = Expressions.parse(argument, context);
      input = Expressions.parse(new BsonString("$$CURRENT"), context);
    }
    String path =
        requireFieldName(
            name,
            field,
            ErrorCode.LOCATION_5654600,
            ErrorCode.LOCATION_5654601,
            ErrorCode.LOCATION_5654602);
    return new FieldAccess(path, input);
  }

  private static boolean isOperator(BsonDocument document) {
    return !document.isEmpty() && document.getFirstKey().startsWith("$");
  }

  private static String requireFieldName(
      String name, Expression field, ErrorCode path, ErrorCode notConstant, ErrorCode type) {
    if (field instanceof PathExpression reference) {
      String text = "$" + reference.qualifiedText();
      throw new CommandException(
          path,
          String.format(
              "'%s' is a field path reference which is not allowed in this context. "
                  + "Did you mean {$literal: '%s'}?",
              text, text));
    }
    if (!(field instanceof Constant constant)) {
      throw new CommandException(
          notConstant,
          name + " requires 'field' to evaluate to a constant, but got a non-constant argument");
    }
    if (!(constant.value() instanceof BsonString text)) {
      throw new CommandException(
          type,
          name
              + " requires 'field' to evaluate to type String, but got "
              + typeName(constant.value()));
    }
    return text.getValue();
  }

  private static Expression parseSetField(String name, BsonValue argument, ParseContext context) {
    boolean isUnset = name.equals("$unsetField");
    var shape =
        new NamedArguments.Shape(
            isUnset ? List.of("field", "input") : List.of("field", "input", "value"),
            ErrorCode.LOCATION_4161100,
            "%s only supports an object as its argument",
            ErrorCode.LOCATION_4161101,
            "%s found an unknown argument: %s");
    NamedArguments named = NamedArguments.parse(name, argument, context, shape);
    String text = "%s requires '";
    Expression field =
        named.required("field", ErrorCode.LOCATION_4161102, text + "field' to be specified");
    Expression value =
        isUnset
            ? Constant.MISSING
            : named.required("value", ErrorCode.LOCATION_4161103, text + "value' to be specified");
    Expression input =
        named.required("input", ErrorCode.LOCATION_4161109, text + "input' to be specified");
    String path =
        requireFieldName(
            name,
            field,
            ErrorCode.LOCATION_4161108,
            ErrorCode.LOCATION_4161106,
            ErrorCode.LOCATION_4161107);
    return new FieldChange(path, List.of(input, value));
  }

  /** The field of that very name, dots and dollars included. Never computed ahead. */
  private record FieldAccess(String field, Expression input) implements Expression {
    @Override
    public @Nullable BsonValue evaluate(Scope scope) {
      scope.allowance().step();
      BsonValue value = input.evaluate(scope);
      if (value instanceof BsonDocument document) {
        return document.get(field);
      }
      return value != null && Truth.isNullish(value) ? BsonNull.VALUE : null;
    }

    @Override
    public List<Expression> operands() {
      return List.of(input);
    }

    @Override
    public Expression withOperands(List<Expression> others) {
      return new FieldAccess(field, others.get(0));
    }
  }

  /** Operands: input, value; a missing value removes the field. Never computed ahead. */
  private record FieldChange(String field, List<Expression> operands) implements Expression {
    @Override
    public BsonValue evaluate(Scope scope) {
      scope.allowance().step();
      BsonValue input = operands.get(0).evaluate(scope);
      if (Truth.isNullish(input)) {
        return BsonNull.VALUE;
      }
      if (!input.isDocument()) {
        throw new CommandException(
            ErrorCode.LOCATION_4161105, "$setField requires 'input' to evaluate to type Object");
      }
      Work.count(input, scope.allowance());
      var changed = new BsonDocument();
      changed.putAll(input.asDocument());
      BsonValue value = operands.get(1).evaluate(scope);
      if (value == null) {
        changed.remove(field);
      } else {
        changed.put(field, value);
      }
      return changed;
    }

    @Override
    public Expression withOperands(List<Expression> others) {
      return new FieldChange(field, List.copyOf(others));
    }
  }
}
