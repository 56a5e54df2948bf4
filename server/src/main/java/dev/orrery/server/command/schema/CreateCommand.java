package dev.orrery.server.command.schema;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.number.Numbers;
import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.collection.Databases;
import dev.orrery.server.command.collection.TimeSeries;
import dev.orrery.server.synthetic.SyntheticKey;
import dev.orrery.server.throughput.Throughput;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.value.BsonOrder;
import dev.orrery.value.Namespace;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;

/** {@code create}: a collection or a view; the same again is no error. */
final class CreateCommand implements Command {
  private static final Set<String> INTERNAL = Set.of("admin", "config", "local");

  private final Databases databases;
  private final ViewDefinitions views;

  CreateCommand(Databases databases, ViewDefinitions views) {
    this.databases = databases;
    this.views = views;
  }

  @Override
  public Spec spec() {
    return Spec.of(
        "create",
        Access.WRITE,
        Trait.DEFINES,
        Trait.LONG,
        Trait.PARSED_FIRST,
        Trait.STABLE_API,
        Trait.TRANSACTION,
        Trait.WRITE_CONCERN);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    CreateParams params = CreateParams.parse(body);
    context.enterTransaction();
    requireImages(context.database(), params.options());
    var namespace = new Namespace(context.database(), params.collection());
    SystemNames.requireWritable(namespace.database(), namespace.collection());
    BsonDocument options = CollectionOptions.of(namespace, params);
    if (context.transaction() != null) {
      requireDocuments(namespace, options);
    }
    IndexSpec idIndex = idIndex(params, options);
    CollectionStore found = databases.find(namespace.database(), namespace.collection());
    if (found != null && context.transaction() != null) {
      throw new CommandException(
          ErrorCode.NAMESPACE_EXISTS, "Collection %s already exists.".formatted(namespace));
    }
    if (found == null) {
      if (options.containsKey("viewOn")) {
        views.require(context, namespace, options);
      }
      found = databases.create(namespace, creation(namespace, options, idIndex));
      if (found != null) {
        databases.created(context, found);
        context.awaitDurable(databases.engine().receipt());
        return reply(params);
      }
      found = databases.require(namespace.database(), namespace.collection());
    }
    CollectionOptions.requireSame(found.info(), options);
    return reply(params);
  }

  /** A transaction creates nothing but plain collections. */
  private static void requireDocuments(Namespace namespace, BsonDocument options) {
    String refused = null;
    if (options.containsKey("viewOn")) {
      refused = "Cannot create a view in a multi-document transaction.";
    } else if (options.containsKey("timeseries")) {
      refused = "Cannot create a time-series collection in a multi-document transaction.";
    } else if (namespace.collection().startsWith("system.")) {
      refused = "Cannot create system collection " + namespace + " within a transaction.";
    }
    if (refused != null) {
      throw new CommandException(ErrorCode.OPERATION_NOT_SUPPORTED_IN_TRANSACTION, refused);
    }
  }

  private static BsonDocument reply(CreateParams params) {
    return params.options().containsKey("autoIndexId")
        ? new BsonDocument(
            "note",
            new BsonString(
                "The autoIndexId option is deprecated and will be removed in a future release"))
        : new BsonDocument();
  }

  /** Nobody may watch what belongs to the server itself. */
  private static void requireImages(String database, BsonDocument given) {
    BsonDocument images = given.getDocument(CollectionInfo.IMAGES, new BsonDocument());
    if (CollectionOptions.isTrue(images, "enabled") && INTERNAL.contains(database)) {
      throw CollectionOptions.invalid(
          "changeStreamPreAndPostImages collection option is not supported on the %s database"
              .formatted(database));
    }
  }

  private CollectionInfo.Creation creation(
      Namespace namespace, BsonDocument options, IndexSpec idIndex) {
    boolean isView = options.containsKey("viewOn");
    if (isView) {
      return new CollectionInfo.Creation(options, null, List.of(), 0, new BsonDocument());
    }
    BsonDocument throughput = databases.newThroughput(namespace.database());
    var indexes = new ArrayList<>(List.of(idIndex));
    TimeSeries series = TimeSeries.of(options);
    if (series != null && series.ownIndex() != null) {
      indexes.add(IndexSpec.of(series.ownIndex()));
    }
    if (!options.containsKey(SyntheticKey.OPTION)) {
      return new CollectionInfo.Creation(options, null, indexes, 1, throughput);
    }
    String key = options.getDocument(SyntheticKey.OPTION).getFirstKey();
    int partitions =
        databases
            .provisioning()
            .partitions(
                key,
                Throughput.fromBson(throughput),
                databases.throughputs().of(namespace.database()));
    return new CollectionInfo.Creation(options, key, indexes, partitions, throughput);
  }

  /** The index on {@code _id}, which has the collation of the collection. */
  private static IndexSpec idIndex(CreateParams params, BsonDocument options) {
    BsonDocument given = params.options().getDocument("idIndex", null);
    long version = 2;
    if (given != null) {
      BsonDocument checked = IndexDefinition.validate(given);
      IndexDefinition.requireIdIndex(checked);
      version = checked.getNumber("v").longValue();
      BsonDocument own =
          IndexDefinition.withCollation(checked, options.getDocument("collation", null));
      if (!BsonOrder.CANONICAL.areEqual(
          own.getDocument("collation", new BsonDocument()),
          options.getDocument("collation", new BsonDocument()))) {
        throw new CommandException(
            ErrorCode.BAD_VALUE, "'idIndex' must have the same collation as the collection.");
      }
    }
    var document =
        new BsonDocument("v", Numbers.intOrLong(version))
            .append("key", new BsonDocument("_id", new BsonInt32(1)))
            .append("name", new BsonString("_id_"));
    if (options.containsKey("collation")) {
      document.append("collation", options.get("collation"));
    }
    return IndexSpec.of(document);
  }
}
