package dev.orrery.server.plan;

import dev.orrery.language.expression.Work;
import dev.orrery.language.limit.Allowance;
import dev.orrery.language.query.ArrayFilters;
import dev.orrery.language.query.Comparison;
import dev.orrery.language.query.ElementFilters;
import dev.orrery.language.query.Filter;
import dev.orrery.language.query.GeoFilters;
import dev.orrery.language.query.In;
import dev.orrery.language.query.Regex;
import dev.orrery.language.query.ValuePredicate;
import dev.orrery.server.expiry.Deadlines;
import dev.orrery.server.plan.bounds.PredicateBounds;
import dev.orrery.value.RawValue;
import java.util.List;
import java.util.stream.Collectors;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonRegularExpression;
import org.bson.BsonString;
import org.bson.BsonValue;

/** A compiled filter in the notation of MongoDB's explain. */
final class FilterText {
  private FilterText() {}

  /** The query's filter as explain shows it; as it was written if we cannot tell it so. */
  static BsonDocument parsedQuery(Query query) {
    Filter filter = asked(query.criteria().filter());
    return isKnown(filter) ? document(filter) : query.criteria().document().toBsonDocument();
  }

  /** What the user asked for: without the condition that documents have not expired. */
  private static Filter asked(Filter filter) {
    List<Filter> clauses = PredicateBounds.conjuncts(filter);
    List<Filter> asked = clauses.stream().filter(clause -> !isStillThere(clause)).toList();
    if (asked.size() == clauses.size()) {
      return filter;
    }
    return asked.size() == 1 ? asked.get(0) : new Filter.And(asked);
  }

  private static boolean isStillThere(Filter filter) {
    return filter instanceof Filter.Whole whole && Deadlines.isStillThere(whole.predicate());
  }

  private static boolean isKnown(Filter filter) {
    if (filter instanceof Filter.And and) {
      return and.children().stream().allMatch(FilterText::isKnown);
    }
    if (filter instanceof Filter.Or or) {
      return or.children().stream().allMatch(FilterText::isKnown);
    }
    if (filter instanceof Filter.Nor nor) {
      return nor.children().stream().allMatch(FilterText::isKnown);
    }
    if (filter instanceof Filter.Not not) {
      return isKnown(not.child());
    }
    return filter instanceof Filter.Field field && isKnown(field.predicate());
  }

  private static boolean isKnown(ValuePredicate predicate) {
    return predicate instanceof Comparison
        || predicate instanceof In
        || predicate instanceof Regex
        || predicate instanceof ElementFilters.Exists
        || predicate instanceof ElementFilters.HasType
        || predicate instanceof ArrayFilters.Size
        || predicate instanceof GeoFilters.InRegion
        || predicate instanceof GeoFilters.ByDistance
        || (predicate instanceof ArrayFilters.ElementDocument element && isKnown(element.filter()))
        || (predicate instanceof ArrayFilters.ElementValue value && isKnown(value.filter()));
  }

  /** A filter in the notation of explain: {@code {a: {$eq: 1}}}. */
  static BsonDocument document(Filter filter) {
    return written(asked(filter));
  }

  private static BsonDocument written(Filter filter) {
    Allowance.current().step();
    if (filter instanceof Filter.And and) {
      return and.children().isEmpty() ? new BsonDocument() : clauses("$and", and.children());
    }
    if (filter instanceof Filter.Or or) {
      return or.children().isEmpty()
          ? new BsonDocument("$alwaysFalse", new BsonInt32(1))
          : clauses("$or", or.children());
    }
    if (filter instanceof Filter.Nor nor) {
      return clauses("$nor", nor.children());
    }
    if (filter instanceof Filter.Not not) {
      return negation(not.child());
    }
    if (filter instanceof Filter.Field field) {
      return new BsonDocument(field.path().dotted(), operators(field.predicate()));
    }
    return new BsonDocument();
  }

  private static BsonDocument clauses(String operator, List<Filter> children) {
    var list = new BsonArray();
    children.forEach(child -> list.add(written(child)));
    return new BsonDocument(operator, list);
  }

  private static BsonDocument negation(Filter child) {
    return child instanceof Filter.Field field
        ? new BsonDocument(
            field.path().dotted(), new BsonDocument("$not", operators(field.predicate())))
        : new BsonDocument("$nor", new BsonArray(List.of(written(child))));
  }

  private static BsonDocument operators(ValuePredicate predicate) {
    if (predicate instanceof Comparison comparison) {
      return new BsonDocument(comparison.operator().text(), value(comparison.operand()));
    }
    if (predicate instanceof In in) {
      return new BsonDocument("$in", new BsonArray(values(in)));
    }
    if (predicate instanceof Regex regex) {
      var document = new BsonDocument("$regex", new BsonString(regex.pattern()));
      return regex.options().isEmpty()
          ? document
          : document.append("$options", new BsonString(regex.options()));
    }
    if (predicate instanceof ElementFilters.Exists) {
      return new BsonDocument("$exists", BsonBoolean.TRUE);
    }
    if (predicate instanceof ElementFilters.HasType type) {
      var types = type.types().types().stream().sorted().map(BsonInt32::new).toList();
      return new BsonDocument("$type", new BsonArray(types));
    }
    if (predicate instanceof ArrayFilters.Size size) {
      return new BsonDocument("$size", new BsonInt32(size.elements()));
    }
    if (predicate instanceof ArrayFilters.ElementDocument element) {
      return new BsonDocument("$elemMatch", document(element.filter()));
    }
    if (predicate instanceof ArrayFilters.ElementValue element) {
      return new BsonDocument("$elemMatch", elementOperators(element.filter()));
    }
    if (predicate instanceof GeoFilters.InRegion || predicate instanceof GeoFilters.ByDistance) {
      return predicate.document();
    }
    return new BsonDocument(); // only in a residue, where the whole filter is shown beside it
  }

  private static BsonValue value(RawValue operand) {
    Allowance.current().step();
    Work.countBytes(operand.length());
    return operand.toBsonValue();
  }

  private static List<BsonValue> values(In in) {
    var values = in.operands().stream().map(FilterText::value).collect(Collectors.toList());
    in.regexes()
        .forEach(regex -> values.add(new BsonRegularExpression(regex.pattern(), regex.options())));
    return values;
  }

  private static BsonDocument elementOperators(Filter filter) {
    var operators = new BsonDocument();
    for (Filter child : PredicateBounds.conjuncts(filter)) {
      if (child instanceof Filter.Field field) {
        operators.putAll(operators(field.predicate()));
      } else if (child instanceof Filter.Not not && not.child() instanceof Filter.Field field) {
        operators.append("$not", operators(field.predicate()));
      }
    }
    return operators;
  }
}
