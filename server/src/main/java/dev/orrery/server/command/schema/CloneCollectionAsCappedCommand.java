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
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.PartitionStore;
import dev.orrery.storage.RecordCursor;
import dev.orrery.storage.StoredDocument;
import dev.orrery.storage.WorkMeter;
import dev.orrery.storage.WriteBatch;
import dev.orrery.storage.WriteOperation;
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
    return Spec.of("cloneCollectionAsCapped", Access.ADMIN, Trait.LONG);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    String from = body.collection("cloneCollectionAsCapped");
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
    copy(source, target, size);
    context.awaitDurable(databases.engine().receipt());
    return new BsonDocument();
  }

  private void copy(CollectionStore source, CollectionStore target, long size) {
    long surplus = Sizes.of(source).bytes() - size;
    for (PartitionStore partition : source.partitions()) {
      RecordCursor cursor = partition.scan(false);
      var meter = new WorkMeter();
      var inserts = new ArrayList<WriteOperation>();
      StoredDocument next;
      while ((next = cursor.awaitNext(meter)) != null) {
        if (surplus > 0) {
          surplus -= next.document().length();
          continue;
        }
        inserts.add(new WriteOperation.Insert(target, next.document()));
        if (inserts.size() == INSERTS_PER_COMMIT) {
          commit(inserts, meter);
        }
      }
      commit(inserts, meter);
    }
  }

  private void commit(List<WriteOperation> inserts, WorkMeter meter) {
    var batch = new WriteBatch(inserts, WriteBatch.OnFailure.CONTINUE);
    Lane.await(databases.engine().commit(batch, meter));
    inserts.clear();
  }
}
