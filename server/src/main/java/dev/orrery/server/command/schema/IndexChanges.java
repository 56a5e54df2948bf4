package dev.orrery.server.command.schema;

import dev.orrery.lane.Lane;
import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.command.data.Replanning;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.IndexCursor;
import dev.orrery.storage.IndexRange;
import dev.orrery.storage.PartitionStore;
import dev.orrery.storage.StorageEngine;
import dev.orrery.storage.StorageException;
import dev.orrery.storage.StoredDocument;
import dev.orrery.storage.WorkMeter;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.catalog.IndexSpec;
import java.util.Arrays;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.jspecify.annotations.Nullable;

/** What {@code collMod} changes about an index: expiry, hiding, and uniqueness. */
final class IndexChanges {
  private final StorageEngine engine;

  IndexChanges(StorageEngine engine) {
    this.engine = engine;
  }

  /**
   * A change that was checked.
   *
   * @param spec the index as it becomes, or null when nothing changes
   * @param isRebuilt whether uniqueness changes, which takes a new index
   * @param reply what the client is told: old and new values
   */
  record Change(@Nullable BsonDocument spec, boolean isRebuilt, BsonDocument reply) {
    /** A reply belongs to its request, so each gets one of its own. */
    static Change none() {
      return new Change(null, false, new BsonDocument());
    }

    boolean isPreparation() {
      return reply.containsKey("prepareUnique_new");
    }
  }

  Change prepare(CollectionStore collection, CollModParams params) {
    CollModParams.Index wanted = params.index();
    if (params.isDryRun()) {
      requireDryRun(wanted);
    }
    if (wanted == null) {
      return Change.none();
    }
    requireFields(collection.info(), wanted);
    IndexSpec index = find(collection.info(), wanted);
    var spec = new BsonDocument();
    spec.putAll(index.document());
    var reply = new BsonDocument();
    if (wanted.expireAfterSeconds() != null) {
      expire(index, wanted.expireAfterSeconds(), spec, reply);
    }
    boolean isRebuilt = unique(collection, index, wanted, spec, reply);
    return new Change(IndexDefinition.fix(spec), isRebuilt, reply);
  }

  private static void requireDryRun(CollModParams.@Nullable Index wanted) {
    if (wanted == null) {
      throw CollectionOptions.invalid("dry run mode requires an valid index modification.");
    }
    if (!Boolean.TRUE.equals(wanted.unique())) {
      throw CollectionOptions.invalid(
          "dry run mode requires an index modification with unique: true.");
    }
  }

  private static void requireFields(CollectionInfo info, CollModParams.Index wanted) {
    if (wanted.name() != null && wanted.keyPattern() != null) {
      throw CollectionOptions.invalid("Cannot specify both key pattern and name.");
    }
    if (wanted.name() == null && wanted.keyPattern() == null) {
      throw CollectionOptions.invalid("Must specify either index name or key pattern.");
    }
    boolean asksNothing =
        wanted.expireAfterSeconds() == null
            && wanted.hidden() == null
            && wanted.unique() == null
            && wanted.prepareUnique() == null
            && wanted.forceNonUnique() == null;
    if (asksNothing) {
      throw CollectionOptions.invalid(
          "no expireAfterSeconds, hidden, unique, or prepareUnique field");
    }
    if (wanted.unique() != null && wanted.forceNonUnique() != null) {
      throw CollectionOptions.invalid(
          "collMod does not support 'unique' and 'forceNonUnique' options at the same time");
    }
    if (wanted.expireAfterSeconds() != null) {
      requireExpiry(info, wanted.expireAfterSeconds());
    }
  }

  private static void requireExpiry(CollectionInfo info, long seconds) {
    if (info.options().containsKey("timeseries")) {
      throw CollectionOptions.invalid(
          "TTL indexes are not supported for time-series collections. Please refer to the"
              + " documentation and use the top-level 'expireAfterSeconds' option instead");
    }
    if (CollectionOptions.isTrue(info.options(), "capped")) {
      throw CollectionOptions.invalid("TTL indexes are not supported for capped collections.");
    }
    if (seconds < 0) {
      throw CollectionOptions.invalid(
          "TTL index 'expireAfterSeconds' option cannot be less than 0");
    }
    if (seconds > Integer.MAX_VALUE) {
      throw CollectionOptions.invalid(
          "TTL index 'expireAfterSeconds' option must be within an acceptable range, try a lower"
              + " number");
    }
  }

  private static IndexSpec find(CollectionInfo info, CollModParams.Index wanted) {
    if (wanted.name() != null) {
      CollectionInfo.IndexEntry entry = info.index(wanted.name());
      if (entry == null || !entry.ready()) {
        throw notFound(wanted.name(), info);
      }
      return entry.spec();
    }
    List<IndexSpec> found = DropIndexesCommand.withKey(info, wanted.keyPattern());
    if (found.size() > 1) {
      throw new CommandException(
          ErrorCode.AMBIGUOUS_INDEX_KEY_PATTERN,
          "index keyPattern %s matches %d indexes, must use index name. Conflicting indexes:%s, %s"
              .formatted(
                  BsonText.document(wanted.keyPattern()),
                  found.size(),
                  BsonText.document(found.get(0).document()),
                  BsonText.document(found.get(1).document())));
    }
    if (found.isEmpty()) {
      throw notFound(BsonText.document(wanted.keyPattern()), info);
    }
    return found.get(0);
  }

  private static CommandException notFound(String index, CollectionInfo info) {
    return new CommandException(
        ErrorCode.INDEX_NOT_FOUND, "cannot find index " + index + " for ns " + info.namespace());
  }

  private static void expire(IndexSpec index, long seconds, BsonDocument spec, BsonDocument reply) {
    if (index.expireAfterSeconds().isPresent()) {
      reply.append("expireAfterSeconds_old", new BsonInt64(index.expireAfterSeconds().getAsLong()));
    } else if (index.isIdIndex()) {
      throw CollectionOptions.invalid("the _id field does not support TTL indexes");
    } else if (index.fields().size() != 1) {
      throw CollectionOptions.invalid(
          "TTL indexes are single-field indexes, compound indexes do not support TTL");
    }
    reply.append("expireAfterSeconds_new", new BsonInt64(seconds));
    spec.put("expireAfterSeconds", new BsonInt32((int) seconds));
  }

  /** Hiding and uniqueness, in the order in which MongoDB looks at them. */
  private boolean unique(
      CollectionStore collection,
      IndexSpec index,
      CollModParams.Index wanted,
      BsonDocument spec,
      BsonDocument reply) {
    boolean isPrepared = IndexDefinition.isTrue(spec, "prepareUnique");
    boolean becomesUnique = wanted.unique() != null && !index.isUnique();
    if (Boolean.FALSE.equals(wanted.unique())) {
      throw new CommandException(ErrorCode.BAD_VALUE, "Cannot make index non-unique");
    }
    if (becomesUnique && !isPrepared) {
      throw CollectionOptions.invalid(
          "Cannot make index unique with 'prepareUnique=false'. Run collMod to set it first.");
    }
    if (wanted.hidden() != null) {
      hide(index, wanted.hidden(), spec, reply);
    }
    if (becomesUnique) {
      requireDistinct(collection, index);
      spec.remove("prepareUnique");
      spec.put("unique", BsonBoolean.TRUE);
      reply.append("unique_new", BsonBoolean.TRUE);
    }
    Boolean prepare = wanted.prepareUnique();
    if (prepare != null && prepare != isPrepared && !index.isUnique()) {
      spec.put("prepareUnique", BsonBoolean.valueOf(prepare));
      reply
          .append("prepareUnique_old", BsonBoolean.valueOf(isPrepared))
          .append("prepareUnique_new", BsonBoolean.valueOf(prepare));
    }
    if (Boolean.FALSE.equals(wanted.forceNonUnique())) {
      throw new CommandException(ErrorCode.BAD_VALUE, "'forceNonUnique: false' is not supported");
    }
    boolean becomesPlain = wanted.forceNonUnique() != null && index.isUnique();
    if (becomesPlain) {
      spec.remove("unique");
      reply.append("forceNonUnique_new", BsonBoolean.TRUE);
    }
    return becomesUnique || becomesPlain;
  }

  private static void hide(
      IndexSpec index, boolean isHidden, BsonDocument spec, BsonDocument reply) {
    if (index.isIdIndex()) {
      throw new CommandException(ErrorCode.BAD_VALUE, "can't hide _id index");
    }
    if (index.isHidden() != isHidden) {
      spec.put("hidden", BsonBoolean.valueOf(isHidden));
      reply
          .append("hidden_old", BsonBoolean.valueOf(index.isHidden()))
          .append("hidden_new", BsonBoolean.valueOf(isHidden));
    }
  }

  /** Refuses to make an index unique in which documents share a key; names all of them. */
  private static void requireDistinct(CollectionStore collection, IndexSpec index) {
    var violations = new BsonArray();
    for (PartitionStore partition : collection.partitions()) {
      var meter = new WorkMeter();
      IndexCursor cursor = partition.scan(index, IndexRange.all(false));
      byte[] key = null;
      var ids = new BsonArray();
      while (cursor.awaitNext(meter)) {
        if (!Arrays.equals(key, cursor.key())) {
          addViolation(violations, ids);
          ids = new BsonArray();
          key = cursor.key();
        }
        StoredDocument stored = Lane.await(partition.read(cursor.recordId(), meter));
        if (stored != null) {
          ids.add(stored.document().field("_id").toBsonValue());
        }
      }
      addViolation(violations, ids);
    }
    if (!violations.isEmpty()) {
      throw new CommandException(
          ErrorCode.CANNOT_CONVERT_INDEX_TO_UNIQUE,
          "Cannot convert the index to unique. Please resolve conflicting documents before"
              + " running collMod again.",
          new BsonDocument("violations", violations));
    }
  }

  private static void addViolation(BsonArray violations, BsonArray ids) {
    if (ids.size() > 1) {
      violations.add(new BsonDocument("ids", ids));
    }
  }

  BsonDocument carryOut(CollectionStore collection, Change change) {
    if (change.spec != null && !change.reply.isEmpty()) {
      IndexSpec changed = IndexSpec.of(change.spec);
      try {
        if (change.isRebuilt) {
          engine.replaceIndex(collection, changed);
        } else {
          engine.alterIndex(collection, changed);
        }
      } catch (StorageException e) {
        throw Replanning.isIndexDropped(e) ? notFound(changed.name(), collection.info()) : e;
      }
    }
    return change.reply;
  }
}
