package dev.orrery.server.stream;

import dev.orrery.language.aggregate.stage.ChangeStreamOptions;
import dev.orrery.language.aggregate.stage.KeyRange;
import dev.orrery.storage.Change;
import dev.orrery.storage.ChangeFeed;
import dev.orrery.storage.CollectionIdentity;
import dev.orrery.storage.CommittedGroup;
import dev.orrery.storage.partition.EffectivePartitionKey;
import dev.orrery.value.FieldPath;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawValue;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.bson.BsonDocument;
import org.bson.BsonType;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * Whose changes a stream is about: those of what it watches, of some partition keys only if its
 * token or its conditions say so. All else is passed over where the log is read.
 */
final class Narrowing implements ChangeFeed.Interest {
  private static final Namespace TRANSACTIONS = new Namespace("config", "transactions");
  private static final String KEY = "documentKey.";
  private static final String ID = "_id";

  /** Values whose equals all have the same hash: not so null, which equals what is missing. */
  private static final Set<BsonType> HASHED =
      Set.of(BsonType.STRING, BsonType.INT32, BsonType.INT64, BsonType.OBJECT_ID, BsonType.BOOLEAN);

  private final Watched watched;
  private final KeyRange range;
  private final List<BsonDocument> conditions;
  private @Nullable String path;
  private @Nullable Set<String> hashes;

  Narrowing(Watched watched, ChangeStreamOptions options) {
    this.watched = watched;
    this.range = options.after() == null ? KeyRange.ALL : options.after().range();
    this.conditions = options.matches();
  }

  KeyRange range() {
    return range;
  }

  @Override
  public boolean isIn(CollectionIdentity collection, RawDocument document) {
    Namespace namespace = collection.namespace();
    if (!watched.includes(namespace)) {
      return namespace.equals(TRANSACTIONS); // which tell of the others
    }
    if (collection.isTimeSeries()) {
      return false; // MongoDB changes buckets, which nobody can watch
    }
    String key = collection.partitionKey();
    if (key == null) {
      return true;
    }
    Set<String> wanted = hashesFor(key);
    if (wanted == null && range.equals(KeyRange.ALL)) {
      return true;
    }
    String hash = hash(key, document);
    return range.contains(hash) && (wanted == null || wanted.contains(hash));
  }

  /** The same of a document's change, whatever was read with it. */
  boolean includes(CollectionIdentity collection, RawDocument document) {
    return watched.includes(collection.namespace()) && isIn(collection, document);
  }

  /**
   * Whether anything of that may be told. Other than where the log is read, conditions on the
   * identifier count too where that is all of the key.
   */
  boolean mayTellOf(ChangeHub.Next news) {
    for (CommittedGroup group : news.groups()) {
      for (Change change : group.changes()) {
        boolean isForeign =
            change == Change.Unwanted.ONE
                || change instanceof Change.OfDocument one && !mayTellOf(one, news.hashes());
        if (!isForeign) {
          return true;
        }
      }
    }
    return false;
  }

  private boolean mayTellOf(Change.OfDocument change, Map<Change, String> hashes) {
    CollectionIdentity collection = change.collection();
    if (!includes(collection, change.document())) {
      return false;
    }
    Set<String> wanted = collection.partitionKey() == null ? hashesFor(ID) : null;
    return wanted == null
        || wanted.contains(hashes.computeIfAbsent(change, one -> hash(ID, change.document())));
  }

  private static String hash(String key, RawDocument document) {
    RawValue value = document.field(key); // of a deletion, under its dotted path
    RawValue found = value == null ? FieldPath.parse(key).find(document) : value;
    return EffectivePartitionKey.of(found).toString();
  }

  private @Nullable Set<String> hashesFor(String key) {
    if (!key.equals(path)) {
      path = key;
      hashes = null;
      conditions.forEach(condition -> narrow(condition, key));
    }
    return hashes;
  }

  private void narrow(BsonDocument condition, String key) {
    condition.forEach(
        (name, value) -> {
          if (name.equals(KEY + key)) {
            narrow(value);
          } else if (name.equals("$and") && value.isArray()) {
            for (BsonValue one : value.asArray()) {
              if (one.isDocument()) {
                narrow(one.asDocument(), key);
              }
            }
          }
        });
  }

  private void narrow(BsonValue condition) {
    if (!condition.isDocument()) {
      keepOnly(List.of(condition));
    } else if (condition.asDocument().size() == 1 && condition.asDocument().containsKey("$eq")) {
      keepOnly(List.of(condition.asDocument().get("$eq")));
    } else if (condition.asDocument().size() == 1 && condition.asDocument().isArray("$in")) {
      keepOnly(condition.asDocument().getArray("$in"));
    }
  }

  private void keepOnly(List<BsonValue> values) {
    if (!values.stream().allMatch(value -> HASHED.contains(value.getBsonType()))) {
      return;
    }
    var wanted = new HashSet<String>();
    values.forEach(value -> wanted.add(EffectivePartitionKey.of(RawValue.of(value)).toString()));
    if (hashes == null) {
      hashes = wanted;
    } else {
      hashes.retainAll(wanted);
    }
  }
}
