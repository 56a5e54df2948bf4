package dev.orrery.server.command.schema;

import dev.orrery.language.query.Filter;
import dev.orrery.language.query.FilterParser;
import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.collection.Databases;
import dev.orrery.server.command.collection.TimeSeries;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawDocument;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import org.bson.BsonBinary;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonString;

/** {@code listCollections}: the collections and views of a database as a cursor, by name. */
final class ListCollectionsCommand implements Command {
  private final Databases databases;
  private final Listings listings;

  ListCollectionsCommand(Databases databases, Listings listings) {
    this.databases = databases;
    this.listings = listings;
  }

  @Override
  public Spec spec() {
    return Spec.of("listCollections", Access.READ, Trait.STABLE_API);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    RawDocument filter = body.rawDocument("filter");
    boolean nameOnly = body.safeBool("nameOnly", false);
    long batchSize = Listings.batchSize(body);
    boolean isAuthorized = body.safeBool("authorizedCollections", false);
    body.ignore("includePendingDrops");
    body.finish();
    boolean isPart = isAuthorized && nameOnly;
    Filter wanted = FilterParser.parse(filter == null ? RawDocument.EMPTY : filter);
    List<BsonDocument> documents =
        all(context.database(), nameOnly).stream()
            .filter(
                document ->
                    !isPart || context.reachesCollection(document.getString("name").getValue()))
            .filter(document -> wanted.matches(RawDocument.of(document)))
            .toList();
    var namespace = new Namespace(context.database(), "$cmd.listCollections");
    return listings.reply(context, namespace, documents, batchSize);
  }

  private List<BsonDocument> all(String database, boolean nameOnly) {
    var documents = new ArrayList<BsonDocument>();
    boolean hasViews = false;
    for (CollectionStore collection : databases.in(database)) {
      CollectionInfo info = collection.info();
      boolean isSeries = TimeSeries.of(info) != null;
      hasViews |= info.isView() || isSeries;
      documents.add(nameOnly ? name(info) : describe(info));
      if (isSeries && databases.findSeries(database, bucketsOf(info)) != null) {
        documents.add(nameOnly ? name(bucketsOf(info), "collection") : buckets(info));
      }
    }
    if (hasViews && databases.find(database, SystemNames.VIEWS) == null) {
      documents.add(systemViews(database, nameOnly));
      documents.sort(Comparator.comparing(document -> document.getString("name").getValue()));
    }
    return documents;
  }

  private static String bucketsOf(CollectionInfo series) {
    return TimeSeries.BUCKETS + series.namespace().collection();
  }

  /** MongoDB keeps a time series in a collection of that name; here it only shows. */
  private static BsonDocument buckets(CollectionInfo series) {
    var options = new BsonDocument("clusteredIndex", BsonBoolean.TRUE);
    options.putAll(series.options());
    return name(bucketsOf(series), "collection")
        .append("options", options)
        .append("info", info(series.uuid()));
  }

  private static BsonDocument name(CollectionInfo info) {
    String type = "collection";
    if (info.isView()) {
      type = "view";
    } else if (info.options().containsKey("timeseries")) {
      type = "timeseries";
    }
    return name(info.namespace().collection(), type);
  }

  private static BsonDocument name(String name, String type) {
    return new BsonDocument("name", new BsonString(name)).append("type", new BsonString(type));
  }

  private static BsonDocument describe(CollectionInfo info) {
    BsonDocument document = name(info).append("options", info.options());
    if (info.isView() || info.options().containsKey("timeseries")) {
      return document.append(
          "info", new BsonDocument("readOnly", BsonBoolean.valueOf(info.isView())));
    }
    document.append("info", info(info.uuid()));
    if (!info.options().containsKey("clusteredIndex")) {
      info.readyIndexes().stream()
          .filter(IndexSpec::isIdIndex)
          .forEach(index -> document.append("idIndex", index.document()));
    }
    return document;
  }

  private static BsonDocument info(UUID uuid) {
    return new BsonDocument("readOnly", BsonBoolean.FALSE).append("uuid", new BsonBinary(uuid));
  }

  /** MongoDB keeps views in a collection of that name; here it only shows. */
  private static BsonDocument systemViews(String database, boolean nameOnly) {
    BsonDocument document = name(SystemNames.VIEWS, "collection");
    if (nameOnly) {
      return document;
    }
    String full = database + "." + SystemNames.VIEWS;
    return document
        .append("options", new BsonDocument())
        .append("info", info(UUID.nameUUIDFromBytes(full.getBytes(StandardCharsets.UTF_8))))
        .append("idIndex", IndexSpec.idIndex().document());
  }
}
