package dev.orrery.server.command.schema;

import dev.orrery.lane.Lane;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.number.Numbers;
import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.Sizes;
import dev.orrery.server.command.collection.Databases;
import dev.orrery.server.command.collection.ViewErrors;
import dev.orrery.server.command.collection.WriteFailures;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.PartitionStore;
import dev.orrery.storage.RecordCursor;
import dev.orrery.storage.StoredDocument;
import dev.orrery.storage.WorkMeter;
import dev.orrery.storage.WriteBatch;
import dev.orrery.storage.WriteOperation;
import dev.orrery.storage.WriteOutcome;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.value.Namespace;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;

/** {@code cloneCollectionAsCapped}: a capped copy of the newest documents of a collection. */
final class CloneCollectionAsCappedCommand implements Command {
  private static final int INSERTS_PER_COMMIT = 500;

  private final Databases databases;

  CloneCollectionAsCappedCommand(Databases databases) {
    this.databases = databases;
  }

  @Override
  public Spec spec() {
    return Spec.of("cloneCollectionAsCapped", Access.ADMIN, Trait.LONG, Trait.WRITE_CONCERN);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    String from = body.collection();
    String to = body.requireString("toCollection");
    long size = ConvertToCappedCommand.size(body.value("size"));
    body.ignoreRest("temp");
    body.finish();
    ConvertToCappedCommand.requireSize(size);
    SystemNames.requireWritable(context.database(), to);
    CollectionStore source = databases.find(context.database(), from);
    ViewErrors.requireCollection(source);
    if (source == null) {
      throw new CommandException(
          ErrorCode.NAMESPACE_NOT_FOUND,
          "source collection %s.%s does not exist".formatted(context.database(), from));
    }
    ConvertToCappedCommand.requireUnpartitioned("cloneCollectionAsCapped", source);
    var options =
        new BsonDocument("capped", BsonBoolean.TRUE).append("size", Numbers.intOrLong(size));
    var namespace = new Namespace(context.database(), to);
    CollectionStore target =
        databases.create(
            namespace,
            new CollectionInfo.Creation(
                options,
                null,
                List.of(IndexSpec.idIndex()),
                1,
                databases.newThroughput(context.database())));
    if (target == null) {
      throw new CommandException(
          ErrorCode.NAMESPACE_EXISTS,
          "cloneCollectionAsCapped failed - destination collection "
              + namespace
              + " already exists. source collection: "
              + source.info().namespace());
    }
    copy(context, source, target, size);
    context.awaitDurable(databases.engine().receipt());
    return new BsonDocument();
  }

  private void copy(
      CommandContext context, CollectionStore source, CollectionStore target, long size) {
    long surplus = Sizes.of(source).bytes() - size;
    for (PartitionStore partition : source.partitions()) {
      RecordCursor cursor = partition.scan(false);
      var meter = new WorkMeter();
      var inserts = new ArrayList<WriteOperation.Insert>();
      StoredDocument next;
      while ((next = cursor.awaitNext(meter)) != null) {
        if (surplus > 0) {
          surplus -= next.document().length();
          continue;
        }
        inserts.add(new WriteOperation.Insert(target, next.document()));
        if (inserts.size() == INSERTS_PER_COMMIT) {
          commit(context, inserts, meter);
        }
      }
      commit(context, inserts, meter);
    }
  }

  /** Commits in order, as the oldest go first, and goes on where an engine says to try again. */
  private void commit(
      CommandContext context, List<WriteOperation.Insert> inserts, WorkMeter meter) {
    while (!inserts.isEmpty()) {
      var batch = new WriteBatch(List.copyOf(inserts), WriteBatch.OnFailure.STOP);
      List<WriteOutcome> outcomes = Lane.await(databases.engine().commit(batch, meter)).outcomes();
      int applied = 0;
      for (int i = 0; i < outcomes.size(); i++) {
        WriteOutcome outcome = outcomes.get(i);
        if (outcome.isApplied()) {
          applied++;
        } else if (outcome.status() != WriteOutcome.Status.NOT_APPLIED) {
          requireRepeatable(outcome, inserts.get(i));
          ConvertToCappedCommand.pause(context);
        }
      }
      inserts.subList(0, applied).clear();
    }
  }

  private static void requireRepeatable(WriteOutcome outcome, WriteOperation.Insert insert) {
    CollectionStore target = insert.collection();
    if (!ConvertToCappedCommand.isToRepeat(outcome)) {
      throw WriteFailures.of(outcome, target.info(), insert.document());
    }
    if (!target.exists()) {
      throw new CommandException(
          ErrorCode.QUERY_PLAN_KILLED, "collection dropped. UUID " + target.info().uuid());
    }
  }
}
