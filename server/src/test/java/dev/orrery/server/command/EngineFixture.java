package dev.orrery.server.command;

import dev.orrery.server.cursor.CursorRegistry;
import dev.orrery.server.query.QueryHooks;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.StorageEngine;
import dev.orrery.storage.WorkMeter;
import dev.orrery.storage.WriteBatch;
import dev.orrery.storage.WriteOperation;
import dev.orrery.storage.chronicle.ChronicleEngine;
import dev.orrery.storage.chronicle.EngineOptions;
import dev.orrery.storage.log.LogOptions;
import dev.orrery.storage.value.RawDocument;
import java.nio.file.Path;
import java.util.UUID;
import org.bson.BsonDocument;

/** The commands of databases, collections and indexes over a real engine in a directory. */
final class EngineFixture implements AutoCloseable {
  private static final UUID BUILD = new UUID(0, 1);

  final StorageEngine engine;
  final Databases databases;
  private final CommandFixture commands = new CommandFixture();

  EngineFixture(Path directory) {
    var options = EngineOptions.defaults().with(LogOptions.defaults().withFsync(false));
    engine = ChronicleEngine.open(directory, options, new QueryHooks());
    databases = new Databases(engine);
    var cursors = new CursorRegistry(() -> 0, () -> 42);
    commands.with(
        DdlCommands.all(databases, cursors, PipelineCheck.NONE, () -> BUILD, () -> 0)
            .toArray(Command[]::new));
  }

  void insert(String collection, String... documents) {
    CollectionStore target = databases.findOrCreate("db", collection);
    for (String json : documents) {
      RawDocument document = RawDocument.of(BsonDocument.parse(json));
      engine.commit(WriteBatch.of(new WriteOperation.Insert(target, document)), new WorkMeter());
    }
  }

  /** How many documents the collection has. */
  long count(String collection) {
    return Sizes.of(databases.require("db", collection)).documents();
  }

  /** The reply to a command on the database {@code db}, unless it names another. */
  BsonDocument run(String json) {
    return commands.run(onDatabase(json));
  }

  /** {@code code codeName: errmsg}. */
  String error(String json) {
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
