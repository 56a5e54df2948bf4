package dev.orrery.server.command.schema;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.FieldErrors;
import org.bson.BsonDocument;

/** {@code mapReduce}: refused, as there is no JavaScript here; its fields are checked first. */
final class MapReduceCommand implements Command {
  @Override
  public Spec spec() {
    return Spec.of("mapReduce", Access.READ, Trait.WRITE_CONCERN).alias("mapreduce");
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    body.collection();
    boolean hasMap = body.has("map");
    boolean hasReduce = body.has("reduce");
    boolean hasOut = body.has("out");
    body.ignore("query", "sort", "limit", "finalize", "scope", "collation", "jsMode", "verbose");
    body.ignore("bypassDocumentValidation");
    body.finish();
    require("map", hasMap);
    require("reduce", hasReduce);
    require("out", hasOut);
    throw new CommandException(
        ErrorCode.NOT_IMPLEMENTED, "mapReduce is not implemented; use aggregate");
  }

  private static void require(String field, boolean isThere) {
    if (!isThere) {
      throw FieldErrors.missing("mapReduce." + field);
    }
  }
}
