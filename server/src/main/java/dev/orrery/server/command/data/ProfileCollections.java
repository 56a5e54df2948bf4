package dev.orrery.server.command.data;

import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.Envelope;
import dev.orrery.server.command.collection.Databases;
import dev.orrery.server.operation.Operation;
import dev.orrery.server.operation.OperationJournal.ProfileWriter;
import dev.orrery.server.throughput.Metering;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.StorageException;
import dev.orrery.storage.WriteOperation;
import dev.orrery.storage.WriteOutcome;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawDocument;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonObjectId;
import org.bson.types.ObjectId;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The capped collection {@code system.profile} of each database that is profiled. */
public final class ProfileCollections implements ProfileWriter {
  public static final String NAME = "system.profile";

  /**
   * How large an entry may be before parts are left out; the whole profile has {@link #BYTES_MAX}.
   */
  private static final int ENTRY_BYTES_MAX = 100 << 10;

  private static final Set<String> LARGE_PARTS = Set.of("execStats", "errMsg", "command");

  private static final Logger LOG = LoggerFactory.getLogger(ProfileCollections.class);
  private static final int BYTES_MAX = 1 << 20; // as in MongoDB

  private final Databases databases;
  private final Supplier<ObjectId> ids;

  public ProfileCollections(Databases databases, Supplier<ObjectId> ids) {
    this.databases = databases;
    this.ids = ids;
  }

  /** Makes the collection if it is missing; null when another is made at this moment. */
  public @Nullable CollectionStore open(String database) {
    CollectionStore found = databases.find(database, NAME);
    if (found != null) {
      return found;
    }
    var options =
        new BsonDocument("capped", BsonBoolean.TRUE).append("size", new BsonInt32(BYTES_MAX));
    var creation =
        new CollectionInfo.Creation(
            options, null, List.of(IndexSpec.idIndex()), 1, new BsonDocument());
    return databases.create(new Namespace(database, NAME), creation);
  }

  @Override
  public void write(String database, BsonDocument entry) {
    try {
      CollectionStore collection = open(database);
      if (collection != null) {
        // MongoDB's entries have no _id; here every document needs one.
        entry.append("_id", new BsonObjectId(ids.get()));
        var insert = new WriteOperation.Insert(collection, storable(entry));
        DocumentWriter writer = writer(database);
        while (writer.commit(insert).status() == WriteOutcome.Status.CONFLICT
            && collection.exists()) {
          LOG.debug("the profile of {} changes its place", database);
        }
      }
    } catch (StorageException e) {
      LOG.warn("the profile of {} could not be written: {}", database, e.getMessage());
    }
  }

  /** What tells of a large request is as large, and of no use: that is left out. */
  private static RawDocument storable(BsonDocument entry) {
    RawDocument document = RawDocument.of(entry);
    if (document.length() > ENTRY_BYTES_MAX) {
      entry.keySet().removeAll(LARGE_PARTS);
      document = RawDocument.of(entry.append("truncated", BsonBoolean.TRUE));
    }
    return document;
  }

  /** A writer of the server's own, which nobody pays for. */
  private DocumentWriter writer(String database) {
    var operation = new Operation(0, null, null, Metering.unlimited().start(0), () -> 0);
    var context = new CommandContext(null, database, Envelope.NONE, null, operation);
    return new DocumentWriter(databases, context);
  }
}
