package dev.orrery.server.command;

import dev.orrery.server.error.CommandException;
import dev.orrery.server.error.ErrorCode;
import dev.orrery.storage.StorageEngine;
import java.util.concurrent.CompletionStage;
import org.bson.BsonDocument;
import org.bson.BsonInt32;

/** {@code fsync}: answers when everything written so far is on disk. Locking is refused. */
final class FsyncCommand implements Command {
  private final StorageEngine engine;

  FsyncCommand(StorageEngine engine) {
    this.engine = engine;
  }

  @Override
  public Spec spec() {
    return Spec.of("fsync", Access.ADMIN, Trait.ADMIN_DATABASE);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    return start(context, body).toCompletableFuture().join();
  }

  @Override
  public CompletionStage<BsonDocument> start(CommandContext context, CommandReader body) {
    boolean isLock = body.safeBool("lock", false);
    body.ignore("async", "fsyncLockAcquisitionTimeoutMillis");
    body.finish();
    if (isLock) {
      throw new CommandException(
          ErrorCode.NOT_IMPLEMENTED, "fsync with lock: true is not implemented yet");
    }
    return engine
        .whenDurable(engine.lastLsn())
        .thenApply(done -> new BsonDocument("numFiles", new BsonInt32(1)));
  }
}
