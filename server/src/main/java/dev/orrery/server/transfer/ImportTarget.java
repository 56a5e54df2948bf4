package dev.orrery.server.transfer;

import com.mongodb.MongoCommandException;
import com.mongodb.MongoException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoDatabase;
import dev.orrery.server.transfer.analysis.CollectionSettings;
import dev.orrery.server.transfer.source.SourceCollection;
import dev.orrery.server.transfer.source.TransferException;
import dev.orrery.server.transfer.source.TransferFailures;
import dev.orrery.value.Namespace;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;

/** Makes collections, views and indexes on the server an import writes to. */
final class ImportTarget {
  private static final String ADMIN = "admin";

  /** What create does not take, or what belongs to the server the dump is of. */
  private static final Set<String> NOT_RESTORED = Set.of("uuid", "autoIndexId", "temp", "flags");

  private static final BsonDocument SIMPLE = new BsonDocument("locale", new BsonString("simple"));

  private final MongoClient client;
  private final ImportOptions options;
  private final TransferFailures failures;

  ImportTarget(MongoClient client, ImportOptions options, TransferFailures failures) {
    this.client = client;
    this.options = options;
    this.failures = failures;
  }

  /** Makes a collection ready for its documents; unique keys come before them, as Cosmos needs. */
  void prepare(SourceCollection source, Namespace target) throws TransferException {
    try {
      if (options.drops()) {
        run(target, new BsonDocument("drop", new BsonString(target.collection())));
      }
      boolean exists = exists(target);
      if (!exists) {
        run(target, create(source, target));
      }
      CollectionSettings settings = options.settings().of(target);
      String known = exists ? null : source.metadata().partitionKey();
      if (settings.shardKey() != null) {
        shard(target, settings.shardKey());
      } else if (known != null && options.restoresOptions()) {
        shard(target, known);
      }
      if (settings.throughput() != null) {
        run(target, throughput(target, settings.throughput()));
      }
      if (!settings.uniqueKeys().isEmpty()) {
        run(target, createIndexes(target, settings.uniqueIndexes()));
      }
    } catch (MongoException e) {
      throw refused("The collection " + target + " cannot be prepared", e);
    }
  }

  private boolean exists(Namespace target) {
    var filter = new BsonDocument("name", new BsonString(target.collection()));
    return database(target).listCollections(BsonDocument.class).filter(filter).first() != null;
  }

  private BsonDocument create(SourceCollection source, Namespace target) {
    var command = new BsonDocument("create", new BsonString(target.collection()));
    if (options.restoresOptions()) {
      source
          .metadata()
          .options()
          .forEach(
              (name, value) -> {
                if (!NOT_RESTORED.contains(name)) {
                  command.append(name, value);
                }
              });
    }
    return command;
  }

  private void shard(Namespace target, String path) {
    BsonDocument key = new BsonDocument(path, new BsonString("hashed"));
    client
        .getDatabase(ADMIN)
        .runCommand(
            new BsonDocument("shardCollection", new BsonString(target.toString()))
                .append("key", key));
  }

  private static BsonDocument throughput(Namespace target, int requestUnits) {
    return new BsonDocument("customAction", new BsonString("UpdateCollection"))
        .append("collection", new BsonString(target.collection()))
        .append("offerThroughput", new BsonInt32(requestUnits));
  }

  private static BsonDocument createIndexes(Namespace target, List<BsonDocument> indexes) {
    return new BsonDocument("createIndexes", new BsonString(target.collection()))
        .append("indexes", new BsonArray(indexes))
        .append("ignoreUnknownIndexOptions", BsonBoolean.TRUE);
  }

  /** Builds the indexes of the source, all in one scan if the server takes them all. */
  void restoreIndexes(SourceCollection source, Namespace target) throws TransferException {
    List<BsonDocument> indexes = indexes(source, target);
    if (indexes.isEmpty()) {
      return;
    }
    try {
      run(target, createIndexes(target, indexes));
    } catch (MongoCommandException e) {
      restoreOneByOne(target, indexes);
    } catch (MongoException e) {
      throw refused("The indexes of " + target + " cannot be built", e);
    }
  }

  /** When one of them is refused, the others are built all the same. */
  private void restoreOneByOne(Namespace target, List<BsonDocument> indexes)
      throws TransferException {
    for (BsonDocument index : indexes) {
      try {
        run(target, createIndexes(target, List.of(index)));
      } catch (MongoException e) {
        failures.add(
            "The index %s of %s was not built: %s"
                .formatted(name(index), target, ServerWords.of(e)));
      }
    }
  }

  private static String name(BsonDocument index) {
    return index.getString("name", new BsonString("without a name")).getValue();
  }

  private List<BsonDocument> indexes(SourceCollection source, Namespace target) {
    var kept = new ArrayList<BsonDocument>();
    if (!options.restoresIndexes()) {
      return kept;
    }
    var unique = options.settings().of(target).uniqueIndexes();
    for (BsonDocument index : source.metadata().secondaryIndexes()) {
      boolean isThere =
          unique.stream().anyMatch(other -> other.get("key").equals(index.get("key")));
      if (!isThere && !index.containsKey("clustered")) {
        BsonDocument spec = index.clone();
        spec.remove("ns"); // names the collection as it was called where the dump was made
        spec.remove("v"); // the server's own is the best it has
        if (source.metadata().hasCollation()) {
          // One without a collation would get that of the collection, which it did not have.
          spec.putIfAbsent("collation", SIMPLE);
        }
        kept.add(spec);
      }
    }
    return kept;
  }

  void createView(SourceCollection source, Namespace target) throws TransferException {
    try {
      if (options.drops()) {
        run(target, new BsonDocument("drop", new BsonString(target.collection())));
      }
      run(target, create(source, target));
    } catch (MongoException e) {
      failures.add("The view %s was not created: %s".formatted(target, ServerWords.of(e)));
    }
  }

  private void run(Namespace target, BsonDocument command) {
    database(target).runCommand(command);
  }

  private MongoDatabase database(Namespace target) {
    return client.getDatabase(target.database());
  }

  private static TransferException refused(String what, MongoException e) {
    return new TransferException(what + ": " + ServerWords.of(e), e);
  }
}
