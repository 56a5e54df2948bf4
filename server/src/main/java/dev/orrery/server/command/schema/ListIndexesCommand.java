package dev.orrery.server.command.schema;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.collection.Databases;
import dev.orrery.server.command.collection.ViewErrors;
import dev.orrery.storage.CollectionStore;
import org.bson.BsonDocument;

/** {@code listIndexes}: the indexes of a collection as a cursor, in the order of creation. */
final class ListIndexesCommand implements Command {
  private final Databases databases;
  private final Listings listings;

  ListIndexesCommand(Databases databases, Listings listings) {
    this.databases = databases;
    this.listings = listings;
  }

  @Override
  public Spec spec() {
    return Spec.of("listIndexes", Access.READ, Trait.STABLE_API);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    String collection = body.collection();
    long batchSize = Listings.batchSize(body);
    boolean hasUuids = body.safeBool("includeBuildUUIDs", false);
    boolean hasBuilds = body.safeBool("includeIndexBuildInfo", false);
    body.ignore("isTimeseriesNamespace");
    body.finish();
    if (hasUuids && hasBuilds) {
      throw new CommandException(
          ErrorCode.INVALID_OPTIONS,
          "The includeBuildUUIDs flag and includeBuildIndexInfo flag cannot both be set to true");
    }
    CollectionStore found = databases.require(context.database(), collection);
    ViewErrors.requireCollection(found);
    return listings.reply(
        context, found.info().namespace(), IndexListing.of(found.info()), batchSize);
  }
}
