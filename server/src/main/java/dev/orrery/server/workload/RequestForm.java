package dev.orrery.server.workload;

import dev.orrery.value.RawDocument;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonType;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * The form in which a recording keeps a request: one document with all that came beside it, without
 * what belongs to its connection and session, long values replaced by their {@link StandIns}, and
 * values hashed if that is wanted. Used by one thread at a time.
 */
final class RequestForm {
  /*
   * What is hashed is what may be data: documents, filters, updates, and in the stages of pipelines what
   * compares. What makes a request do what it does stays: names of fields and operators, sorts, limits, texts
   * that name fields ("$price"), arguments of operators that take no data ({$type: "string"}), and outside of
   * $match all numbers of a pipeline, which are positions and factors there. What is added to a field is 1.
   */

  private static final Set<String> LEFT_OUT =
      Set.of(
          "$clusterTime",
          "$db",
          "$readPreference",
          "apiDeprecationErrors",
          "apiStrict",
          "apiVersion",
          "autocommit",
          "lsid",
          "startTransaction",
          "txnNumber");

  private enum Mode {
    /** Values of documents. */
    DOCUMENT,
    /** A filter or an update: values, but for the arguments of some operators. */
    FILTER,
    /** Expressions and stages. */
    CODE,
    /** What is added to a field. */
    AMOUNT,
    /** Stays as it is. */
    KEPT
  }

  private static final Map<String, Mode> FIELDS =
      Map.ofEntries(
          Map.entry("arrayFilters", Mode.FILTER),
          Map.entry("c", Mode.FILTER),
          Map.entry("deletes", Mode.FILTER),
          Map.entry("documents", Mode.DOCUMENT),
          Map.entry("filter", Mode.FILTER),
          Map.entry("let", Mode.DOCUMENT),
          Map.entry("max", Mode.DOCUMENT),
          Map.entry("min", Mode.DOCUMENT),
          Map.entry("pipeline", Mode.CODE),
          Map.entry("q", Mode.FILTER),
          Map.entry("query", Mode.FILTER),
          Map.entry("u", Mode.FILTER),
          Map.entry("update", Mode.FILTER));

  private static final Set<String> STATEMENTS = Set.of("deletes", "updates");

  /** Operators of filters and updates whose arguments are no data. */
  private static final Map<String, Mode> OPERATORS =
      Map.ofEntries(
          Map.entry("$bit", Mode.AMOUNT),
          Map.entry("$caseSensitive", Mode.KEPT),
          Map.entry("$currentDate", Mode.KEPT),
          Map.entry("$diacriticSensitive", Mode.KEPT),
          Map.entry("$exists", Mode.KEPT),
          Map.entry("$expr", Mode.CODE),
          Map.entry("$inc", Mode.AMOUNT),
          Map.entry("$language", Mode.KEPT),
          Map.entry("$meta", Mode.KEPT),
          Map.entry("$mod", Mode.KEPT),
          Map.entry("$mul", Mode.AMOUNT),
          Map.entry("$options", Mode.KEPT),
          Map.entry("$position", Mode.KEPT),
          Map.entry("$rename", Mode.KEPT),
          Map.entry("$size", Mode.KEPT),
          Map.entry("$slice", Mode.KEPT),
          Map.entry("$sort", Mode.KEPT),
          Map.entry("$type", Mode.KEPT),
          Map.entry("$unset", Mode.KEPT));

  /** Arguments of stages and expressions that name things. */
  private static final Set<String> NAMING =
      Set.of(
          "$count",
          "$sort",
          "$type",
          "$unset",
          "$unwind",
          "as",
          "coll",
          "connectFromField",
          "connectToField",
          "db",
          "depthField",
          "distanceField",
          "field",
          "foreignField",
          "format",
          "from",
          "includeArrayIndex",
          "into",
          "key",
          "localField",
          "on",
          "path",
          "sortBy",
          "startOfWeek",
          "timezone",
          "unit",
          "whenMatched",
          "whenNotMatched");

  private final @Nullable ValueHashes hashes;

  /**
   * @param hashes null when values stay
   */
  RequestForm(@Nullable ValueHashes hashes) {
    this.hashes = hashes;
  }

  /**
   * The form of a request.
   *
   * @param beside documents and statements that came beside the body, by the name of the field that
   *     they stand for
   */
  BsonDocument of(RawDocument body, Map<String, List<RawDocument>> beside) {
    BsonDocument whole = body.toBsonDocument();
    beside.forEach(
        (name, documents) -> {
          var array = new BsonArray();
          documents.forEach(document -> array.add(document.toBsonDocument()));
          whole.append(name, array);
        });
    LEFT_OUT.forEach(whole::remove);
    if (hashes != null) {
      whole.remove("comment");
    }
    return command(whole, true);
  }

  private BsonDocument command(BsonDocument command, boolean hasName) {
    var kept = new BsonDocument();
    boolean isName = hasName; // the first field, whose value is the collection
    for (Map.Entry<String, BsonValue> field : command.entrySet()) {
      BsonValue value = field.getValue();
      if (STATEMENTS.contains(field.getKey()) && value.isArray()) {
        var statements = new BsonArray();
        value.asArray().forEach(one -> statements.add(command(one.asDocument(), false)));
        kept.append(field.getKey(), statements);
      } else {
        Mode mode = isName ? Mode.KEPT : FIELDS.getOrDefault(field.getKey(), Mode.KEPT);
        boolean isPipeline = mode == Mode.FILTER && value.isArray() && isUpdate(field.getKey());
        kept.append(field.getKey(), form(value, isPipeline ? Mode.CODE : mode));
      }
      isName = false;
    }
    return kept;
  }

  private static boolean isUpdate(String field) {
    return field.equals("u") || field.equals("update");
  }

  private BsonValue form(BsonValue value, Mode mode) {
    if (value.isDocument()) {
      var document = new BsonDocument();
      value
          .asDocument()
          .forEach((name, inner) -> document.append(name, form(inner, mode(name, mode))));
      return document;
    }
    if (value.isArray()) {
      var array = new BsonArray();
      value.asArray().forEach(inner -> array.add(form(inner, mode)));
      return array;
    }
    BsonValue kept = StandIns.of(value);
    return hashes == null ? kept : hashed(kept, mode);
  }

  private static Mode mode(String name, Mode outer) {
    return switch (outer) {
      case FILTER -> OPERATORS.getOrDefault(name, Mode.FILTER);
      case CODE -> {
        if (name.equals("$match") || name.equals("query")) {
          yield Mode.FILTER;
        }
        yield NAMING.contains(name) ? Mode.KEPT : Mode.CODE;
      }
      case DOCUMENT, AMOUNT, KEPT -> outer;
    };
  }

  private BsonValue hashed(BsonValue value, Mode mode) {
    return switch (mode) {
      case KEPT -> value;
      case AMOUNT -> value.isNumber() ? one(value.getBsonType()) : hashes.of(value);
      case CODE -> isCode(value) ? value : hashes.of(value);
      case DOCUMENT, FILTER -> hashes.of(value);
    };
  }

  private static boolean isCode(BsonValue value) {
    return value.isNumber() || value.isString() && value.asString().getValue().startsWith("$");
  }

  private static BsonValue one(BsonType type) {
    if (type == BsonType.INT32) {
      return new BsonInt32(1);
    }
    return type == BsonType.DOUBLE ? new BsonDouble(1) : new BsonInt64(1);
  }
}
