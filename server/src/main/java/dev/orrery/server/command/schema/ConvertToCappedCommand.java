package dev.orrery.server.command.schema;

import dev.orrery.lane.Lane;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.number.Numbers;
import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.RawNumbers;
import dev.orrery.server.command.collection.Databases;
import dev.orrery.server.command.collection.ViewErrors;
import dev.orrery.server.stream.StreamAnnouncement;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.CommitResult;
import dev.orrery.storage.PartitionStore;
import dev.orrery.storage.RecordCursor;
import dev.orrery.storage.StorageEngine;
import dev.orrery.storage.StoredDocument;
import dev.orrery.storage.WorkMeter;
import dev.orrery.storage.WriteBatch;
import dev.orrery.storage.WriteOperation;
import dev.orrery.storage.WriteOutcome;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawValue;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;

/**
 * {@code convertToCapped}: limits a collection to a size. The oldest documents that do not fit go,
 * and so do all indexes but that on {@code _id}, as in MongoDB.
 */
final class ConvertToCappedCommand implements Command {
  private static final int DELETES_PER_COMMIT = 500;
  private static final int COPY_NAME_CHARACTERS = 5;
  private static final long PAUSE_NANOS = 200_000;

  private final Databases databases;

  ConvertToCappedCommand(Databases databases) {
    this.databases = databases;
  }

  @Override
  public Spec spec() {
    return Spec.of("convertToCapped", Access.ADMIN, Trait.LONG, Trait.WRITE_CONCERN);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    String collection = body.collection();
    long size = size(body.value("size"));
    body.ignoreRest();
    body.finish();
    requireSize(size);
    CollectionStore found = databases.find(context.database(), collection);
    ViewErrors.requireCollection(found);
    if (found == null) {
      throw new CommandException(
          ErrorCode.NAMESPACE_NOT_FOUND,
          "source collection %s.%s does not exist".formatted(context.database(), collection));
    }
    requireUnpartitioned("convertToCapped", found);
    StorageEngine engine = databases.engine();
    Namespace source = ofCopy(found.info());
    announceCopy(engine, found.info(), source, size);
    engine.update(found, info -> info.withOptions(capped(info.options(), size)));
    engine.announce(
        StreamAnnouncement.rename(source, found.info().namespace(), found.info().uuid()).toBson());
    for (IndexSpec index : found.info().readyIndexes()) {
      if (!index.isIdIndex()) {
        engine.dropIndex(found, index.name());
      }
    }
    while (!trim(engine, found, size) && found.exists()) {
      pause(context);
    }
    context.awaitDurable(engine.receipt());
    return new BsonDocument();
  }

  /** What MongoDB calls the copy that takes the collection's place. */
  private static Namespace ofCopy(CollectionInfo info) {
    String letters = info.uuid().toString().substring(0, COPY_NAME_CHARACTERS);
    return new Namespace(
        info.namespace().database(),
        "tmp%s.convertToCapped.%s".formatted(letters, info.namespace().collection()));
  }

  /** Who watches is told of a copy and its renaming, though the collection stays where it is. */
  private static void announceCopy(
      StorageEngine engine, CollectionInfo info, Namespace copy, long size) {
    BsonDocument options = capped(new BsonDocument(), size).append("temp", BsonBoolean.TRUE);
    for (IndexSpec index : info.readyIndexes()) {
      if (index.isIdIndex()) {
        options.append("idIndex", index.document());
      }
    }
    engine.announce(StreamAnnouncement.create(copy, info.uuid(), options).toBson());
  }

  /** A capped collection is one sequence of documents, and all ids in it differ. */
  static void requireUnpartitioned(String command, CollectionStore collection) {
    if (collection.info().partitionKey() != null) {
      throw new CommandException(
          ErrorCode.ILLEGAL_OPERATION, "You can't " + command + " a sharded collection");
    }
  }

  /** What is no number counts as none. */
  static long size(RawValue value) {
    return value == null || !value.isNumber() ? 0 : RawNumbers.toLong(value);
  }

  static void requireSize(long size) {
    if (size <= 0) {
      throw CollectionOptions.invalid("Capped collection size must be greater than zero");
    }
  }

  private static BsonDocument capped(BsonDocument before, long size) {
    var options =
        new BsonDocument("capped", BsonBoolean.TRUE).append("size", Numbers.intOrLong(size));
    before.forEach(options::putIfAbsent);
    return options;
  }

  /** Whether a write is to be tried again, at once or when a transaction has ended. */
  static boolean isToRepeat(WriteOutcome outcome) {
    return outcome.status() == WriteOutcome.Status.CONFLICT
        || outcome.status() == WriteOutcome.Status.CLAIMED;
  }

  /** Waits a moment before a write is tried again, unless the command must end. */
  static void pause(CommandContext context) {
    context.operation().check();
    LockSupport.parkNanos(PAUSE_NANOS);
  }

  /** Deletes the oldest documents; false when one of them has to be looked at again. */
  private static boolean trim(StorageEngine engine, CollectionStore collection, long size) {
    boolean isComplete = true;
    for (PartitionStore partition : collection.partitions()) {
      long surplus = partition.statistics().bytes() - size;
      RecordCursor cursor = partition.scan(false);
      var meter = new WorkMeter();
      while (surplus > 0) {
        List<WriteOperation> deletes = new ArrayList<>();
        StoredDocument next = null;
        while (surplus > 0 && deletes.size() < DELETES_PER_COMMIT) {
          next = cursor.awaitNext(meter);
          if (next == null) {
            break;
          }
          surplus -= next.document().length();
          deletes.add(new WriteOperation.Delete(collection, next));
        }
        var batch = new WriteBatch(deletes, WriteBatch.OnFailure.CONTINUE);
        CommitResult result = Lane.await(engine.commit(batch, meter));
        isComplete &= result.outcomes().stream().noneMatch(ConvertToCappedCommand::isToRepeat);
        if (next == null) {
          break;
        }
      }
    }
    return isComplete;
  }
}
