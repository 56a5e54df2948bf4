package dev.orrery.server.command.diagnostic;

import dev.orrery.language.query.Filter;
import dev.orrery.language.query.FilterParser;
import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.ServerFacts;
import dev.orrery.server.command.data.CurrentOperations;
import dev.orrery.value.RawDocument;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;

/**
 * {@code currentOp}: what is being worked on. Fields that are no options are a filter over the
 * answers, as in MongoDB.
 */
final class CurrentOpCommand implements Command {
  private final CurrentOperations operations;
  private final ServerFacts facts;

  CurrentOpCommand(CurrentOperations operations, ServerFacts facts) {
    this.operations = operations;
    this.facts = facts;
  }

  @Override
  public Spec spec() {
    return Spec.of("currentOp", Access.ADMIN, Trait.ADMIN_DATABASE);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    boolean isAll = body.safeBool("$all", false);
    boolean isOwn = body.safeBool("$ownOps", false);
    List<String> rest = body.takeRest();
    body.finish();
    var criteria = new BsonDocument();
    rest.forEach(name -> criteria.append(name, body.bsonValue(name)));
    Filter filter = FilterParser.parse(RawDocument.of(criteria));
    var options = new CurrentOperations.Options(!isOwn, isAll, isAll, true, true);
    var shown = new BsonArray();
    for (BsonDocument one : operations.list(context, facts, options)) {
      if (filter.matches(RawDocument.of(one))) {
        shown.add(one);
      }
    }
    return new BsonDocument("inprog", shown);
  }
}
