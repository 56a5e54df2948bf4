package dev.orrery.language.query;

import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;

/** Writes filters as documents again, in the form that MongoDB's explain has. */
final class FilterDocuments {
  private FilterDocuments() {}

  static BsonDocument of(Filter filter) {
    if (filter instanceof Filter.Field field) {
      return new BsonDocument(field.path().dotted(), field.predicate().document());
    }
    if (filter instanceof Filter.And and) {
      return and.children().isEmpty() ? new BsonDocument() : list("$and", and.children());
    }
    if (filter instanceof Filter.Or or) {
      return or.children().isEmpty()
          ? new BsonDocument("$alwaysFalse", new BsonInt32(1))
          : list("$or", or.children());
    }
    if (filter instanceof Filter.Nor nor) {
      return list("$nor", nor.children());
    }
    if (filter instanceof Filter.Not not) {
      return negated(not.child());
    }
    return ((Filter.Whole) filter).predicate().document();
  }

  private static BsonDocument list(String operator, List<Filter> children) {
    var array = new BsonArray();
    children.forEach(child -> array.add(of(child)));
    return new BsonDocument(operator, array);
  }

  private static BsonDocument negated(Filter child) {
    return child instanceof Filter.Field field
        ? new BsonDocument(
            field.path().dotted(), new BsonDocument("$not", field.predicate().document()))
        : list("$nor", List.of(child));
  }

  /** The operators that a filter on one value is made of. */
  static BsonDocument operators(Filter filter) {
    var operators = new BsonDocument();
    collect(filter, operators);
    return operators;
  }

  private static void collect(Filter filter, BsonDocument operators) {
    if (filter instanceof Filter.And and) {
      and.children().forEach(child -> collect(child, operators));
    } else if (filter instanceof Filter.Field field) {
      operators.putAll(field.predicate().document());
    } else if (filter instanceof Filter.Not not) {
      operators.append("$not", operators(not.child()));
    } else {
      operators.putAll(of(filter));
    }
  }
}
