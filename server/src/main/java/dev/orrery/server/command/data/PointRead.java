package dev.orrery.server.command.data;

import dev.orrery.lane.Lane;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.collection.Databases;
import dev.orrery.server.expiry.LastModified;
import dev.orrery.server.plan.IndexUses;
import dev.orrery.server.throughput.OperationWork;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.PartitionStore;
import dev.orrery.storage.WorkMeter;
import dev.orrery.value.BsonEncoder;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import org.jspecify.annotations.Nullable;

/**
 * A find that reads one document by its primary key, whole. Most finds of most applications are
 * such ones, and they need no filter, plan or cursor: the document is looked up and copied into the
 * reply. What it does and costs is what the general way would have done and cost; whatever is not
 * quite such a find, also a wrong one, is left to that.
 */
final class PointRead {
  private final CollectionStore collection;
  private final DocumentKey key;
  private final boolean hidesLastChange;

  private PointRead(CollectionStore collection, DocumentKey key, boolean hidesLastChange) {
    this.collection = collection;
    this.key = key;
    this.hidesLastChange = hidesLastChange;
  }

  /** Recognises such a find; null for every other. Leaves the reader as it was. */
  static @Nullable PointRead find(CommandReader body, Databases databases) {
    RawDocument filter = filter(body);
    if (filter == null) {
      return null;
    }
    CollectionStore collection = databases.find(body.database(), body.text(body.valueAt(0)));
    if (collection == null
        || collection.info().isView()
        || collection.info().options().containsKey("collation")
        || databases.expiry().of(collection.info()) != null) {
      return null;
    }
    DocumentKey key = DocumentKey.find(collection, filter);
    boolean hides = databases.expiry().hidesLastChange(collection.info());
    return key == null ? null : new PointRead(collection, key, hides);
  }

  /** The filter, if there is no field beside it that could change what a point read does. */
  private static @Nullable RawDocument filter(CommandReader body) {
    if (body.size() == 0 || body.hasSequences() || body.valueAt(0).type() != RawTypes.STRING) {
      return null;
    }
    RawDocument filter = null;
    boolean hasLimit = false;
    boolean hasSingleBatch = false;
    for (int i = 1; i < body.size(); i++) {
      if (body.isUsed(i)) {
        continue; // belongs to the envelope
      }
      RawValue value = body.valueAt(i);
      switch (body.nameAt(i)) {
        case "filter" -> {
          if (filter != null || !value.isDocument()) {
            return null;
          }
          filter = value.asDocument();
        }
        case "limit" -> {
          if (hasLimit || value.type() != RawTypes.INT32 || value.asInt32() < 0) {
            return null;
          }
          hasLimit = true;
        }
        case "singleBatch" -> {
          if (hasSingleBatch || value.type() != RawTypes.BOOLEAN) {
            return null;
          }
          hasSingleBatch = true;
        }
        default -> {
          return null;
        }
      }
    }
    return filter;
  }

  /** Reads, pays, counts the use of the index, and writes the fields of the reply. */
  void answer(OperationWork work, IndexUses uses, BsonEncoder reply) {
    PartitionStore partition = collection.partitionOf(key.partitionKey());
    work.admitLookup(collection, partition, key.partitionKey());
    int cursor = CursorReply.start(reply);
    int empty = reply.length();
    reply.writeName(RawTypes.DOCUMENT, "0");
    var meter = new WorkMeter();
    byte[] primaryKey = collection.primaryKey(key.partitionKey(), key.id());
    int start = reply.length();
    if (!Lane.await(partition.copy(primaryKey, reply, meter))) {
      reply.truncate(empty);
    } else if (hidesLastChange) {
      hideLastChange(reply, start);
    }
    work.lookedUp(collection, partition, meter);
    uses.addLookup(collection);
    CursorReply.end(reply, cursor, collection.info().namespace());
  }

  private static void hideLastChange(BsonEncoder reply, int start) {
    var stored = RawDocument.wrap(reply.buffer(), start, reply.length() - start);
    RawDocument shown = LastModified.hide(stored);
    if (shown != stored) {
      reply.truncate(start);
      reply.writeDocument(shown);
    }
  }
}
