package dev.orrery.server.command.diagnostic;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.collection.Databases;
import dev.orrery.server.stream.ImageExpiry;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonTimestamp;
import org.bson.BsonValue;

/** {@code getClusterParameter}: one by its name, several, or all by {@code "*"}. */
final class GetClusterParameterCommand implements Command {
  private static final BsonString ALL = new BsonString("*");

  private final Databases databases;

  GetClusterParameterCommand(Databases databases) {
    this.databases = databases;
  }

  @Override
  public Spec spec() {
    return Spec.of("getClusterParameter", Access.ADMIN, Trait.ADMIN_DATABASE);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    BsonValue asked = body.bsonValue("getClusterParameter");
    body.finish();
    var found = new BsonArray();
    for (BsonValue name : asked.isArray() ? asked.asArray() : List.of(asked)) {
      if (!name.isString()) {
        throw new CommandException(
            ErrorCode.TYPE_MISMATCH, "getClusterParameter takes a name, an array of names, or '*'");
      }
      if (!name.equals(ALL) && !name.asString().getValue().equals(ImageExpiry.PARAMETER)) {
        throw SetClusterParameterCommand.unknown(name.asString().getValue());
      }
      found.add(streams());
    }
    return new BsonDocument("clusterParameters", found);
  }

  private BsonDocument streams() {
    BsonDocument given = databases.images().given();
    return new BsonDocument("_id", new BsonString(ImageExpiry.PARAMETER))
        .append(
            SetClusterParameterCommand.TIME,
            given.get(SetClusterParameterCommand.TIME, new BsonTimestamp(0, 0)))
        .append(
            ImageExpiry.IMAGES,
            given.get(ImageExpiry.IMAGES, new BsonDocument(ImageExpiry.SECONDS, ImageExpiry.OFF)));
  }
}
