package dev.orrery.server.command.schema;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.number.Numbers;
import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.collection.Databases;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.value.BsonOrder;
import dev.orrery.value.Namespace;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;

/** {@code create}: a collection or a view; the same again is no error. */
final class CreateCommand implements Command {
  private final Databases databases;
  private final ViewDefinitions views;

  CreateCommand(Databases databases, ViewDefinitions views) {
    this.databases = databases;
    this.views = views;
  }

  @Override
  public Spec spec() {
    return Spec.of("create", Access.WRITE, Trait.LONG, Trait.STABLE_API, Trait.TRANSACTION);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    CreateParams params = CreateParams.parse(body);
    var namespace = new Namespace(context.database(), params.collection());
    SystemNames.requireWritable(namespace.database(), namespace.collection());
    BsonDocument options = CollectionOptions.of(namespace, params);
    IndexSpec idIndex = idIndex(params, options);
    CollectionStore found = databases.find(namespace.database(), namespace.collection());
    if (found == null) {
      if (options.containsKey("viewOn")) {
        views.require(context, namespace, options);
      }
      found = databases.create(namespace, creation(namespace, options, idIndex));
      if (found != null) {
        context.awaitDurable(databases.engine().receipt());
        return reply(params);
      }
      found = databases.require(namespace.database(), namespace.collection());
    }
    CollectionOptions.requireSame(found.info(), options);
    return reply(params);
  }

  private static BsonDocument reply(CreateParams params) {
    return params.options().containsKey("autoIndexId")
        ? new BsonDocument(
            "note",
            new BsonString(
                "The autoIndexId option is deprecated and will be removed in a future release"))
        : new BsonDocument();
  }

  private CollectionInfo.Creation creation(
      Namespace namespace, BsonDocument options, IndexSpec idIndex) {
    boolean isView = options.containsKey("viewOn");
    if (isView) {
      return new CollectionInfo.Creation(options, null, List.of(), 0, new BsonDocument());
    }
    BsonDocument throughput = databases.newThroughput(namespace.database());
    return new CollectionInfo.Creation(options, null, List.of(idIndex), 1, throughput);
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
