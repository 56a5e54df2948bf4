package dev.orrery.server.command;

import dev.orrery.server.command.collection.Databases;
import dev.orrery.server.command.data.PipelineCheck;
import dev.orrery.server.command.diagnostic.StatisticsCommands;
import dev.orrery.server.command.schema.SchemaCommands;
import dev.orrery.server.cursor.CursorRegistry;
import dev.orrery.server.store.QueryHooks;
import dev.orrery.server.store.TestEngines;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.StorageEngine;
import dev.orrery.storage.WriteOperation;
import dev.orrery.value.RawDocument;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.bson.BsonDocument;

/** The commands of databases, collections and indexes over a real engine in a directory. */
public final class EngineFixture implements AutoCloseable {
  private static final UUID BUILD = new UUID(0, 1);

  public final StorageEngine engine;
  public final Databases databases;
  private final CommandFixture commands = new CommandFixture();

  public EngineFixture(Path directory) {
    engine = TestEngines.open(directory, TestEngines.options(), new QueryHooks());
    databases = new Databases(engine);
    var cursors = new CursorRegistry(() -> 0, () -> 42);
    commands.with(
        SchemaCommands.all(databases, cursors, PipelineCheck.NONE, () -> BUILD)
            .toArray(Command[]::new));
    commands.with(StatisticsCommands.list(databases, () -> 0).toArray(Command[]::new));
  }

  public void insert(String collection, String... documents) {
    CollectionStore target = databases.findOrCreate("db", collection);
    for (String json : documents) {
      RawDocument document = RawDocument.of(BsonDocument.parse(json));
      TestEngines.commit(engine, List.of(new WriteOperation.Insert(target, document)));
    }
  }

  /** How many documents the collection has. */
  public long count(String collection) {
    return Sizes.of(databases.require("db", collection)).documents();
  }

  /** The reply to a command on the database {@code db}, unless it names another. */
  public BsonDocument run(String json) {
    return commands.run(onDatabase(json));
  }

  /** {@code code codeName: errmsg}. */
  public String error(String json) {
    return commands.error(onDatabase(json));
  }

  private static String onDatabase(String json) {
    return json.contains("$db") ? json : json.substring(0, json.length() - 1) + ", $db: 'db'}";
  }

  @Override
  public void close() {
    engine.close();
  }
}
