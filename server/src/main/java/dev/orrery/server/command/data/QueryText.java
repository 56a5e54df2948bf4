package dev.orrery.server.command.data;

import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.DoubleText;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.geo.Near;
import dev.orrery.language.geo.NearParser;
import dev.orrery.server.plan.Query;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawElements;
import dev.orrery.value.RawTypes;
import java.util.Comparator;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;

/** A query as MongoDB writes it into the errors of its planner. */
final class QueryText {
  private static final String REFUSED = "error processing query: ";
  private static final int SCALAR_BYTES = 160; // longer ones are shown cut

  private QueryText() {}

  static String of(Namespace namespace, FindParams params) {
    var text = new StringBuilder("ns=").append(namespace);
    FindParams.Page page = params.page();
    append(text, " batchSize=", page.batchSize(), -1);
    append(text, " limit=", page.limit(), 0);
    append(text, " skip=", page.skip(), 0);
    RawDocument projection = params.output().projection();
    body(
        text,
        params.selection().filter(),
        params.selection().sort(),
        projection == null ? RawDocument.EMPTY : projection);
    RawDocument collation = params.selection().collation();
    if (collation != null && !collation.isEmpty()) {
      text.append("Collation: ").append(BsonText.document(collation.toBsonDocument())).append('\n');
    }
    return BsonText.cut(text);
  }

  /** The query of a command that is no find. */
  static String of(Query query) {
    var text = new StringBuilder("ns=").append(query.collection().info().namespace());
    body(text, query.criteria().document(), query.order().document(), RawDocument.EMPTY);
    if (!query.criteria().collation().isSimple()) {
      BsonDocument collation = query.criteria().collation().specification();
      text.append("Collation: ").append(BsonText.document(collation)).append('\n');
    }
    return BsonText.cut(text);
  }

  static String ofUpdate(Query query) {
    boolean isSimple = query.criteria().collation().isSimple();
    return of(query) + (isSimple ? "Collation: { locale: \"simple\" }\n" : "");
  }

  /** The planner's refusal, with the query before it; who ended it refused nothing. */
  static CommandException refused(Supplier<String> query, CommandException cause) {
    if (cause.code().isInterruption() || cause.code() == ErrorCode.INDEX_NOT_FOUND) {
      return cause;
    }
    return new CommandException(
        cause.code(),
        REFUSED + query.get() + " planner returned error :: caused by :: " + cause.getMessage(),
        cause.details());
  }

  /** A cursor shall stay open at the end of a collection that is not capped. */
  static CommandException notCapped(Namespace namespace, FindParams params) {
    return new CommandException(
        ErrorCode.BAD_VALUE,
        REFUSED + of(namespace, params) + " tailable cursor requested on non capped collection");
  }

  private static void append(StringBuilder text, String name, long value, long absent) {
    if (value != absent) {
      text.append(name).append(value);
    }
  }

  private static void body(
      StringBuilder text, RawDocument filter, RawDocument sort, RawDocument projection) {
    text.append("Tree: ");
    appendTree(text, beginning(filter, new int[] {BsonText.TEXT_MAX}), 0);
    text.append("Sort: ").append(BsonText.document(sort.toBsonDocument())).append('\n');
    text.append("Proj: ").append(BsonText.document(projection.toBsonDocument())).append('\n');
  }

  /** As much of a document as can be shown; {@code left} is how many bytes that still are. */
  private static BsonDocument beginning(RawDocument document, int[] left) {
    var some = new BsonDocument();
    RawElements elements = document.elements();
    while (left[0] > 0 && elements.next()) {
      some.append(elements.name(), beginning(elements, left));
    }
    return some;
  }

  private static BsonValue beginning(RawElements element, int[] left) {
    left[0] -= element.nameLength();
    if (element.type() == RawTypes.DOCUMENT) {
      return beginning(element.value().asDocument(), left);
    }
    if (element.type() == RawTypes.ARRAY) {
      var some = new BsonArray();
      RawElements inside = element.value().asDocument().elements();
      while (left[0] > 0 && inside.next()) {
        some.add(beginning(inside, left));
      }
      return some;
    }
    left[0] -= Math.min(element.valueLength(), SCALAR_BYTES);
    return element.value().toBsonValue();
  }

  /** One line for each node; a conjunction of one is that one. */
  private static void appendTree(StringBuilder text, BsonDocument filter, int depth) {
    int count = filter.values().stream().mapToInt(QueryText::count).sum();
    int inner = depth;
    if (count != 1) {
      indent(text, depth).append("$and\n");
      inner = depth + 1;
    }
    for (var field : filter.entrySet()) {
      if (!field.getKey().equals("$text")) {
        appendField(text, field.getKey(), field.getValue(), inner);
      }
    }
    if (filter.containsKey("$text")) { // MongoDB sorts conditions, and has searches at the end
      appendField(text, "$text", filter.get("$text"), inner);
    }
  }

  private static void appendField(StringBuilder text, String path, BsonValue value, int depth) {
    if (path.equals("$text") && value.isDocument()) {
      appendText(text, value.asDocument(), depth);
    } else if (path.startsWith("$") && value.isArray()) {
      indent(text, depth).append(path).append('\n');
      value.asArray().stream()
          .filter(BsonValue::isDocument)
          .map(BsonValue::asDocument)
          .sorted(Comparator.comparing(child -> child.containsKey("$text")))
          .forEach(child -> appendTree(text, child, depth + 1));
    } else if (isOperators(value)
        && NearParser.OPERATORS.contains(value.asDocument().getFirstKey())) {
      appendNear(text, path, value.asDocument(), depth);
    } else if (isOperators(value)) {
      value
          .asDocument()
          .forEach((operator, operand) -> appendLeaf(text, path + " " + operator, operand, depth));
    } else {
      appendLeaf(text, path + (value.isRegularExpression() ? " regex" : " $eq"), value, depth);
    }
  }

  private static void appendNear(
      StringBuilder text, String path, BsonDocument operators, int depth) {
    Near near = NearParser.parse(RawDocument.of(operators));
    indent(text, depth)
        .append("GEONEAR  field=")
        .append(path)
        .append(" maxdist=")
        .append(DoubleText.brief(near.max()))
        .append(" isNearSphere=")
        .append(near.isNearSphere() ? 1 : 0)
        .append('\n');
  }

  private static void appendText(StringBuilder text, BsonDocument search, int depth) {
    BsonString language = search.getString("$language", new BsonString("english"));
    indent(text, depth)
        .append("TEXT : query=")
        .append(search.getString("$search", new BsonString("")).getValue())
        .append(", language=")
        .append(language.getValue())
        .append(", caseSensitive=")
        .append(isTrue(search, "$caseSensitive") ? 1 : 0)
        .append(", diacriticSensitive=")
        .append(isTrue(search, "$diacriticSensitive") ? 1 : 0)
        .append('\n');
  }

  private static boolean isTrue(BsonDocument document, String name) {
    return document.getBoolean(name, BsonBoolean.FALSE).getValue();
  }

  private static void appendLeaf(StringBuilder text, String name, BsonValue value, int depth) {
    indent(text, depth).append(name).append(' ').append(operand(name, value)).append('\n');
  }

  private static String operand(String name, BsonValue value) {
    if (!name.endsWith(" $in") || !value.isArray() || value.asArray().isEmpty()) {
      return BsonText.stored(value);
    }
    return value.asArray().stream()
        .map(BsonText::stored)
        .collect(Collectors.joining(" ", "[ ", " ]"));
  }

  private static StringBuilder indent(StringBuilder text, int depth) {
    return text.append("    ".repeat(depth));
  }

  private static boolean isOperators(BsonValue value) {
    return value.isDocument()
        && !value.asDocument().isEmpty()
        && value.asDocument().getFirstKey().startsWith("$");
  }

  /** How many conditions a value stands for. */
  private static int count(BsonValue value) {
    boolean isNear =
        isOperators(value) && NearParser.OPERATORS.contains(value.asDocument().getFirstKey());
    boolean isSearch = value.isDocument() && value.asDocument().containsKey("$search");
    return isOperators(value) && !isNear && !isSearch ? value.asDocument().size() : 1;
  }
}
