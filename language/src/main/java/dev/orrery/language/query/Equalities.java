package dev.orrery.language.query;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.value.BsonOrder;
import dev.orrery.value.FieldPath;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import dev.orrery.value.StringOrder;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/** What a filter says by equality: the fields of an upserted document, the partitions to ask. */
public final class Equalities {
  private Equalities() {}

  /**
   * The document that an upsert starts from: every path that the filter compares with one value,
   * through any depth of {@code $and}. Paths that contradict each other are refused.
   */
  public static BsonDocument document(Filter filter) {
    var equalities = new TreeMap<String, RawValue>(); // a path comes before those below it
    var paths = new ArrayList<Filter.Field>();
    collect(filter, paths);
    for (var field : paths) {
      if (equalities.put(field.path().dotted(), operand(field)) != null) {
        throw notSingle("path '" + field.path() + "' is matched twice");
      }
    }
    var document = new BsonDocument();
    equalities.forEach((path, value) -> add(document, FieldPath.parse(path), value, equalities));
    return document;
  }

  /**
   * The part of {@link #document} that a replacement keeps: only the given paths, such as {@code
   * _id} and the partition key.
   */
  public static BsonDocument document(Filter filter, Collection<String> paths) {
    var all = new ArrayList<Filter.Field>();
    collect(filter, all);
    var kept = new ArrayList<Filter>();
    for (var field : all) {
      String path = field.path().dotted();
      for (String wanted : paths) {
        if (path.startsWith(wanted + ".")) {
          throw new CommandException(
              ErrorCode.NOT_EXACT_VALUE_FIELD,
              "field at '"
                  + wanted
                  + "' must be exactly specified, field at sub-path '"
                  + path
                  + "'found");
        }
        if (path.equals(wanted) || wanted.startsWith(path + ".")) {
          kept.add(field);
          break;
        }
      }
    }
    return document(new Filter.And(kept));
  }

  /**
   * The values of which the path must have one for a document to match, or null if the filter
   * leaves it open. A value may be null, which a missing field matches too; none at all means that
   * nothing can match. The path is one without arrays, such as {@code _id} or the partition key:
   * two elements of an array could satisfy what one value cannot.
   */
  public static @Nullable List<RawValue> fixedValues(Filter filter, FieldPath path) {
    if (filter instanceof Filter.Field field) {
      return field.path().equals(path) ? fixedValues(field.predicate()) : null;
    }
    if (filter instanceof Filter.And and) {
      List<RawValue> common = null;
      for (var child : and.children()) {
        var values = fixedValues(child, path);
        if (values != null) {
          common = common == null ? values : common(common, values);
        }
      }
      return common;
    }
    if (filter instanceof Filter.Whole whole) {
      return fixedValues(whole.implied(), path);
    }
    return filter instanceof Filter.Or or ? fixedByAll(or.children(), path) : null;
  }

  /** Those of the first that are also among the second. */
  private static List<RawValue> common(List<RawValue> first, List<RawValue> second) {
    var others = new TreeSet<RawValue>(BsonOrder.CANONICAL::compare);
    others.addAll(second);
    return first.stream().filter(others::contains).toList();
  }

  private static @Nullable List<RawValue> fixedByAll(List<Filter> clauses, FieldPath path) {
    var union = new ArrayList<RawValue>();
    for (var clause : clauses) {
      var values = fixedValues(clause, path);
      if (values == null) {
        return null;
      }
      union.addAll(values);
    }
    return union;
  }

  private static @Nullable List<RawValue> fixedValues(ValuePredicate predicate) {
    if (predicate instanceof Comparison comparison
        && comparison.operator() == Comparison.Operator.EQUAL) {
      return isExact(comparison.operand(), comparison.order().strings())
          ? List.of(comparison.operand())
          : null;
    }
    if (predicate instanceof In in && in.regexes().isEmpty()) {
      boolean areExact =
          in.operands().stream().allMatch(value -> isExact(value, in.order().strings()));
      return areExact ? in.operands() : null;
    }
    return null;
  }

  /** Whether no other value than this one is equal to it, apart from numbers. */
  private static boolean isExact(RawValue value, StringOrder strings) {
    boolean mayHoldText =
        value.type() == RawTypes.STRING
            || value.type() == RawTypes.SYMBOL
            || value.isDocument()
            || value.isArray();
    return strings == StringOrder.UTF8 || !mayHoldText;
  }

  private static void collect(Filter filter, List<Filter.Field> equalities) {
    if (filter instanceof Filter.And and) {
      and.children().forEach(child -> collect(child, equalities));
    } else if (filter instanceof Filter.Field field
        && field.predicate() instanceof Comparison comparison
        && comparison.operator() == Comparison.Operator.EQUAL) {
      equalities.add(field);
    }
  }

  private static RawValue operand(Filter.Field field) {
    return ((Comparison) field.predicate()).operand();
  }

  private static void add(
      BsonDocument document, FieldPath path, RawValue value, TreeMap<String, RawValue> all) {
    var parent = document;
    for (int i = 0; i + 1 < path.size(); i++) {
      if (all.containsKey(path.prefix(i + 1))) {
        throw notSingle("both paths '" + path + "' and '" + path.prefix(i + 1) + "' are matched");
      }
      if (!parent.containsKey(path.part(i))) {
        parent.append(path.part(i), new BsonDocument());
      }
      parent = parent.getDocument(path.part(i));
    }
    parent.append(path.part(path.size() - 1), value.toBsonValue());
  }

  private static CommandException notSingle(String problem) {
    return new CommandException(
        ErrorCode.NOT_SINGLE_VALUE_FIELD, "cannot infer query fields to set, " + problem);
  }
}
