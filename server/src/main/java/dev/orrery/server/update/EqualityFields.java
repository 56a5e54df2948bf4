package dev.orrery.server.update;

import dev.orrery.server.error.CommandException;
import dev.orrery.server.error.ErrorCode;
import dev.orrery.server.query.Comparison;
import dev.orrery.server.query.Filter;
import dev.orrery.storage.value.StringOrder;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/** The fields whose values a filter fixes: {@code {a: 1, "b.c": {$eq: 2}, d: {$gt: 3}}} has two. */
final class EqualityFields {
  private EqualityFields() {}

  /** A document with all of those fields, or with {@code _id} only. */
  static BsonDocument of(Filter filter, boolean isAll) {
    var equalities = new ArrayList<Equality>();
    collect(filter, equalities);
    if (!isAll) {
      equalities.removeIf(equality -> !equality.isInId());
      equalities.forEach(Equality::requireWholeId);
    }
    requireDistinct(equalities);
    var document = new BsonDocument();
    equalities.forEach(equality -> equality.addTo(document));
    return document;
  }

  private record Equality(String path, BsonValue value) {
    boolean isInId() {
      return path.equals("_id") || path.startsWith("_id.");
    }

    void requireWholeId() {
      if (!path.equals("_id")) {
        throw new CommandException(
            ErrorCode.NOT_EXACT_VALUE_FIELD,
            "field at '_id' must be exactly specified, field at sub-path '" + path + "'found");
      }
    }

    void addTo(BsonDocument document) {
      var parts = UpdatePath.split(path);
      var parent = document;
      for (String part : parts.subList(0, parts.size() - 1)) {
        if (!parent.containsKey(part)) {
          parent.put(part, new BsonDocument());
        }
        parent = parent.getDocument(part);
      }
      parent.put(parts.get(parts.size() - 1), value);
    }
  }

  private static void collect(Filter filter, List<Equality> equalities) {
    if (filter instanceof Filter.And and) {
      and.children().forEach(child -> collect(child, equalities));
    } else if (filter instanceof Filter.Field field
        && field.predicate() instanceof Comparison comparison
        && comparison.operator() == Comparison.Operator.EQUAL) {
      equalities.add(new Equality(field.path().toString(), comparison.operand().toBsonValue()));
    }
  }

  /** Refuses two values for one field, and a value inside another. Shorter paths come first. */
  private static void requireDistinct(List<Equality> equalities) {
    var paths = new ArrayList<String>();
    equalities.forEach(equality -> paths.add(equality.path()));
    paths.sort(StringOrder.UTF8::compare);
    var seen = new HashSet<String>();
    for (String path : paths) {
      if (!seen.add(path)) {
        throw conflict("path '" + path + "' is matched twice");
      }
      for (int dot = path.lastIndexOf('.'); dot >= 0; dot = path.lastIndexOf('.', dot - 1)) {
        String prefix = path.substring(0, dot);
        if (seen.contains(prefix)) {
          throw conflict("both paths '" + path + "' and '" + prefix + "' are matched");
        }
      }
    }
  }

  private static CommandException conflict(String words) {
    return new CommandException(
        ErrorCode.NOT_SINGLE_VALUE_FIELD, "cannot infer query fields to set, " + words);
  }
}
