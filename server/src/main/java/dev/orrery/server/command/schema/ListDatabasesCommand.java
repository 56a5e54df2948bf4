package dev.orrery.server.command.schema;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.query.Filter;
import dev.orrery.language.query.FilterParser;
import dev.orrery.server.auth.Action;
import dev.orrery.server.auth.Resource;
import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.Sizes;
import dev.orrery.server.command.collection.Databases;
import dev.orrery.storage.CollectionStore;
import dev.orrery.value.RawDocument;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonString;

/** {@code listDatabases}: the databases that have a collection, with their sizes. */
final class ListDatabasesCommand implements Command {
  private final Databases databases;

  ListDatabasesCommand(Databases databases) {
    this.databases = databases;
  }

  @Override
  public Spec spec() {
    return Spec.of(
        "listDatabases", Access.READ, Trait.LONG, Trait.ADMIN_DATABASE, Trait.STABLE_API);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    RawDocument given = body.rawDocument("filter");
    boolean nameOnly = body.safeBool("nameOnly", false);
    boolean isSaid = body.has("authorizedDatabases");
    boolean isAuthorized = body.safeBool("authorizedDatabases", false);
    body.finish();
    boolean maySeeAll = context.allows(Action.LIST_DATABASES, Resource.CLUSTER);
    if (isSaid && !isAuthorized && !maySeeAll) {
      throw new CommandException(
          ErrorCode.UNAUTHORIZED, "Insufficient permissions to list all databases");
    }
    Filter filter = FilterParser.parse(given == null ? RawDocument.EMPTY : given);
    var list = new BsonArray();
    long total = 0;
    for (String name : databases.names()) {
      if ((isAuthorized || !maySeeAll) && !context.reaches(name)) {
        continue;
      }
      var document = new BsonDocument("name", new BsonString(name));
      long bytes = nameOnly ? 0 : bytes(name);
      if (!nameOnly) {
        document
            .append("sizeOnDisk", new BsonInt64(bytes))
            .append("empty", BsonBoolean.valueOf(bytes == 0));
      }
      if (filter.matches(RawDocument.of(document))) {
        list.add(document);
        total += bytes;
      }
    }
    var reply = new BsonDocument("databases", list);
    return nameOnly
        ? reply
        : reply
            .append("totalSize", new BsonInt64(total))
            .append("totalSizeMb", new BsonInt64(total >> 20));
  }

  private long bytes(String database) {
    long bytes = 0;
    for (CollectionStore collection : databases.in(database)) {
      bytes += Sizes.of(collection).totalBytes();
    }
    return bytes;
  }
}
