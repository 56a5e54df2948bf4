package dev.orrery.server.plan;

import dev.orrery.server.error.BsonText;
import dev.orrery.server.query.ArrayFilters;
import dev.orrery.server.query.Comparison;
import dev.orrery.server.query.ElementFilters;
import dev.orrery.server.query.Filter;
import dev.orrery.server.query.In;
import dev.orrery.server.query.Regex;
import dev.orrery.server.query.ValuePredicate;
import java.util.List;
import java.util.stream.Collectors;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonRegularExpression;
import org.bson.BsonString;
import org.bson.BsonValue;

/** A compiled filter in MongoDB's notations: the document of explain, and the tree of messages. */
final class FilterText {
  private static final String INDENT = "    ";

  private FilterText() {}

  /** As explain's parsedQuery shows it: {@code {a: {$eq: 1}}}. */
  static BsonDocument document(Filter filter) {
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
    return new BsonDocument("$expr", new BsonDocument());
  }

  private static BsonDocument clauses(String operator, List<Filter> children) {
    var list = new BsonArray();
    children.forEach(child -> list.add(document(child)));
    return new BsonDocument(operator, list);
  }

  private static BsonDocument negation(Filter child) {
    return child instanceof Filter.Field field
        ? new BsonDocument(
            field.path().dotted(), new BsonDocument("$not", operators(field.predicate())))
        : new BsonDocument("$nor", new BsonArray(List.of(document(child))));
  }

  private static BsonDocument operators(ValuePredicate predicate) {
    if (predicate instanceof Comparison comparison) {
      return new BsonDocument(comparison.operator().text(), comparison.operand().toBsonValue());
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
    return new BsonDocument("$" + name(predicate), new BsonDocument());
  }

  private static String name(ValuePredicate predicate) {
    String name = predicate.getClass().getSimpleName();
    return name.substring(0, 1).toLowerCase(java.util.Locale.ROOT) + name.substring(1);
  }

  private static List<BsonValue> values(In in) {
    var values =
        in.operands().stream().map(value -> value.toBsonValue()).collect(Collectors.toList());
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

  /** As error messages show it: one node to a line, children further in. */
  static String tree(Filter filter) {
    var text = new StringBuilder();
    append(text, filter, "");
    return text.toString();
  }

  private static void append(StringBuilder text, Filter filter, String indent) {
    text.append(indent);
    if (filter instanceof Filter.And and) {
      appendAll(text.append("$and\n"), and.children(), indent);
    } else if (filter instanceof Filter.Or or) {
      String name = or.children().isEmpty() ? "$alwaysFalse: 1\n" : "$or\n";
      appendAll(text.append(name), or.children(), indent);
    } else if (filter instanceof Filter.Nor nor) {
      appendAll(text.append("$nor\n"), nor.children(), indent);
    } else if (filter instanceof Filter.Not not) {
      appendAll(text.append("$not\n"), List.of(not.child()), indent);
    } else if (filter instanceof Filter.Field field) {
      appendField(text.append(field.path()).append(' '), field.predicate(), indent);
    } else {
      text.append("$expr\n");
    }
  }

  private static void appendAll(StringBuilder text, List<Filter> children, String indent) {
    children.forEach(child -> append(text, child, indent + INDENT));
  }

  private static void appendField(StringBuilder text, ValuePredicate predicate, String indent) {
    if (predicate instanceof Comparison comparison) {
      String operand = BsonText.stored(comparison.operand().toBsonValue());
      text.append(comparison.operator().text()).append(' ').append(operand);
    } else if (predicate instanceof In in) {
      text.append("$in [ ");
      values(in).forEach(value -> text.append(BsonText.stored(value)).append(' '));
      text.append(']');
    } else if (predicate instanceof Regex regex) {
      text.append("regex /").append(regex.pattern()).append('/').append(regex.options());
    } else if (predicate instanceof ElementFilters.Exists) {
      text.append("exists");
    } else if (predicate instanceof ArrayFilters.Size size) {
      text.append("$size : ").append(size.elements());
    } else if (predicate instanceof ArrayFilters.ElementDocument element) {
      text.append("$elemMatch (obj)\n");
      appendAll(text, List.of(element.filter()), indent);
      return;
    } else if (predicate instanceof ArrayFilters.ElementValue element) {
      text.append("$elemMatch (value)\n");
      appendAll(text, PredicateBounds.conjuncts(element.filter()), indent);
      return;
    } else {
      text.append(BsonText.document(operators(predicate)));
    }
    text.append('\n');
  }
}
