package dev.orrery.server.command.data;

import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.plan.Query;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawElements;
import dev.orrery.value.RawTypes;
import java.util.function.Supplier;
import org.bson.BsonArray;
import org.bson.BsonDocument;
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
    if (cause.code().isInterruption()) {
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
    int count =
        filter.values().stream().mapToInt(value -> isOperators(value) ? size(value) : 1).sum();
    int inner = depth;
    if (count != 1) {
      indent(text, depth).append("$and\n");
      inner = depth + 1;
    }
    for (var field : filter.entrySet()) {
      appendField(text, field.getKey(), field.getValue(), inner);
    }
  }

  private static void appendField(StringBuilder text, String path, BsonValue value, int depth) {
    if (path.startsWith("$") && value.isArray()) {
      indent(text, depth).append(path).append('\n');
      value.asArray().stream()
          .filter(BsonValue::isDocument)
          .forEach(child -> appendTree(text, child.asDocument(), depth + 1));
    } else if (isOperators(value)) {
      value
          .asDocument()
          .forEach((operator, operand) -> appendLeaf(text, path + " " + operator, operand, depth));
    } else {
      appendLeaf(text, path + " $eq", value, depth);
    }
  }

  private static void appendLeaf(StringBuilder text, String name, BsonValue value, int depth) {
    indent(text, depth).append(name).append(' ').append(BsonText.stored(value)).append('\n');
  }

  private static StringBuilder indent(StringBuilder text, int depth) {
    return text.append("    ".repeat(depth));
  }

  private static boolean isOperators(BsonValue value) {
    return value.isDocument()
        && !value.asDocument().isEmpty()
        && value.asDocument().getFirstKey().startsWith("$");
  }

  private static int size(BsonValue operators) {
    return operators.asDocument().size();
  }
}
