package dev.orrery.server.command.diagnostic;

import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.StagedCommand;
import dev.orrery.server.operation.WriteLock;
import dev.orrery.storage.StorageEngine;
import java.util.concurrent.CompletionStage;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;

/**
 * {@code fsync}: answers when everything written so far is on disk, and holds back further writes
 * if it is to lock.
 */
final class FsyncCommand implements StagedCommand {
  private final StorageEngine engine;
  private final WriteLock writes;

  FsyncCommand(StorageEngine engine, WriteLock writes) {
    this.engine = engine;
    this.writes = writes;
  }

  @Override
  public Spec spec() {
    return Spec.of("fsync", Access.ADMIN, Trait.ADMIN_DATABASE);
  }

  @Override
  public CompletionStage<BsonDocument> start(CommandContext context, CommandReader body) {
    boolean isLock = body.safeBool("lock", false);
    body.ignore("async", "fsyncLockAcquisitionTimeoutMillis");
    body.finish();
    int locks = isLock ? writes.lock() : 0;
    return engine
        .receipt()
        .whenDurable()
        .thenApply(done -> isLock ? locked(locks) : new BsonDocument("numFiles", new BsonInt32(1)));
  }

  private static BsonDocument locked(int locks) {
    return new BsonDocument(
            "info", new BsonString("now locked against writes, use db.fsyncUnlock() to unlock"))
        .append("lockCount", new BsonInt64(locks))
        .append("seeAlso", new BsonString("http://dochub.mongodb.org/core/fsynccommand"));
  }
}
