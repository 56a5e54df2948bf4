package dev.orrery.server.plan;

import dev.orrery.server.error.BsonText;
import dev.orrery.server.error.CommandException;
import dev.orrery.server.error.ErrorCode;

/** What MongoDB says when it finds no plan: the query in its own notation, then the cause. */
final class PlannerErrors {
  private PlannerErrors() {}

  static CommandException badHint(Query query) {
    return error(
        query, ErrorCode.BAD_VALUE, "hint provided does not correspond to an existing index");
  }

  static CommandException error(Query query, ErrorCode code, String cause) {
    return new CommandException(
        code,
        "error processing query: "
            + describe(query)
            + " planner returned error :: caused by :: "
            + cause);
  }

  private static String describe(Query query) {
    var text = new StringBuilder("ns=").append(query.collection().info().namespace());
    Query.Window window = query.window();
    if (window.batchSize() >= 0) {
      text.append(" batchSize=").append(window.batchSize());
    }
    if (window.limit() > 0) {
      text.append(" limit=").append(window.limit());
    }
    if (window.skip() > 0) {
      text.append(" skip=").append(window.skip());
    }
    text.append("Tree: ").append(FilterText.tree(query.criteria().filter()));
    text.append("Sort: ").append(BsonText.document(query.order().document().toBsonDocument()));
    text.append("\nProj: ")
        .append(BsonText.document(query.output().document().toBsonDocument()))
        .append('\n');
    if (!query.criteria().collation().isSimple()) {
      var collation = query.criteria().collation().specification();
      text.append("Collation: ").append(BsonText.document(collation)).append('\n');
    }
    return text.toString();
  }
}
