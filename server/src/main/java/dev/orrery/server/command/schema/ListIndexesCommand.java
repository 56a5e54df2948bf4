package dev.orrery.server.command.schema;

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
    String collection = body.collection("listIndexes");
    long batchSize = Listings.batchSize(body);
    body.ignore("includeBuildUUIDs", "includeIndexBuildInfo", "isTimeseriesNamespace");
    body.finish();
    CollectionStore found = databases.require(context.database(), collection);
    ViewErrors.requireCollection(found);
    return listings.reply(
        context, found.info().namespace(), IndexListing.of(found.info()), batchSize);
  }
}
