package dev.orrery.language.aggregate;

import dev.orrery.language.aggregate.stage.PipelineContext;
import dev.orrery.language.aggregate.stage.StageFailures;
import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.expression.Dependencies;
import dev.orrery.language.expression.Expression;
import dev.orrery.language.expression.Expressions;
import dev.orrery.language.expression.FieldNames;
import dev.orrery.language.expression.Scope;
import dev.orrery.language.expression.Truth;
import dev.orrery.language.number.Numbers;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * What a {@code $geoNear} was given. Options that MongoDB does not know it ignores.
 *
 * @param document all of it, as it was written
 * @param near where the center is
 * @param distanceField the path of the field that gets the distance
 * @param includeLocs the path of the field that gets the nearest geometry; null for none
 * @param key the field that holds the places; null for that of the only geo index
 */
record GeoNearOptions(
    BsonDocument document,
    Expression near,
    List<String> distanceField,
    @Nullable List<String> includeLocs,
    @Nullable String key) {
  private static final Map<String, String> GONE =
      new TreeMap<>(
          Map.of(
              "collation",
              "$geoNear does not accept the 'collation' parameter. Instead, specify a collation for"
                  + " the entire aggregation command.",
              "limit",
              "$geoNear no longer supports the 'limit' parameter. Use a $limit stage instead.",
              "num",
              "$geoNear no longer supports the 'num' parameter. Use a $limit stage instead.",
              "start",
              "$geoNear no longer supports the 'start' argument."));

  private static final Map<String, ErrorCode> GONE_CODES =
      Map.of(
          "collation", ErrorCode.LOCATION_40227,
          "limit", ErrorCode.LOCATION_50858,
          "num", ErrorCode.LOCATION_50857,
          "start", ErrorCode.LOCATION_50856);

  static GeoNearOptions parse(BsonDocument document, PipelineContext context) {
    for (Map.Entry<String, String> gone : GONE.entrySet()) {
      if (document.containsKey(gone.getKey())) {
        throw new CommandException(GONE_CODES.get(gone.getKey()), gone.getValue());
      }
    }
    if (!document.containsKey("near")) {
      throw new CommandException(ErrorCode.LOCATION_5860400, "$geoNear requires a 'near' argument");
    }
    Expression near = Expressions.parse(document.get("near"), context.expressions());
    List<String> distanceField =
        path(
            document.get("distanceField"),
            ErrorCode.LOCATION_16606,
            "$geoNear requires a 'distanceField' option as a String");
    requireNumber("maxDistance", document);
    requireNumber("minDistance", document);
    requireNumber("distanceMultiplier", document);
    BsonValue query = document.get("query");
    if (query != null && !query.isDocument()) {
      throw StageFailures.typeMismatch("query must be an object");
    }
    BsonValue locations = document.get("includeLocs");
    List<String> includeLocs =
        locations == null
            ? null
            : path(
                locations,
                ErrorCode.LOCATION_16607,
                "$geoNear requires that 'includeLocs' option is a String");
    return new GeoNearOptions(document, near, distanceField, includeLocs, key(document.get("key")));
  }

  private static List<String> path(@Nullable BsonValue value, ErrorCode code, String message) {
    if (value == null || !value.isString()) {
      throw new CommandException(code, message);
    }
    return FieldNames.split(value.asString().getValue());
  }

  private static void requireNumber(String name, BsonDocument document) {
    BsonValue value = document.get(name);
    if (value == null) {
      return;
    }
    if (!value.isNumber()) {
      throw StageFailures.typeMismatch(name + " must be a number");
    }
    if (!(Numbers.toDouble(value) >= 0)) {
      throw new CommandException(ErrorCode.BAD_VALUE, name + " must be nonnegative");
    }
  }

  private static @Nullable String key(@Nullable BsonValue value) {
    if (value == null) {
      return null;
    }
    if (!value.isString()) {
      throw StageFailures.typeMismatch(
          "$geoNear parameter 'key' must be of type string but found type: "
              + BsonText.typeName(value));
    }
    String key = value.asString().getValue();
    if (key.isEmpty()) {
      throw new CommandException(
          ErrorCode.BAD_VALUE, "$geoNear parameter 'key' cannot be the empty string");
    }
    FieldNames.split(key); // refuses what is no path
    return key;
  }

  BsonDocument query() {
    return document.getDocument("query", new BsonDocument());
  }

  double multiplier() {
    BsonValue multiplier = document.get("distanceMultiplier");
    return multiplier == null ? 1 : Numbers.toDouble(multiplier);
  }

  /** The same as the operators of a find's filter. */
  BsonDocument operators(Scope scope) {
    Dependencies dependencies = Dependencies.of(near);
    if (dependencies.needsWholeDocument() || !dependencies.fields().isEmpty()) {
      throw new CommandException(
          ErrorCode.LOCATION_5860402, "$geoNear requires a constant near argument");
    }
    BsonValue center = near.evaluate(scope);
    if (center == null || !(center.isDocument() || center.isArray())) {
      throw new CommandException(
          ErrorCode.LOCATION_5860401,
          "$geoNear requires near argument to be a GeoJSON object or a legacy point(array)");
    }
    BsonValue spherical = document.get("spherical");
    String operator = spherical != null && Truth.isTrue(spherical) ? "$nearSphere" : "$near";
    var operators = new BsonDocument(operator, center);
    if (document.containsKey("minDistance")) {
      operators.append("$minDistance", document.get("minDistance"));
    }
    if (document.containsKey("maxDistance")) {
      operators.append("$maxDistance", document.get("maxDistance"));
    }
    return operators;
  }
}
