package dev.orrery.storage.feed;

import dev.orrery.storage.CollectionIdentity;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.catalog.PastCollections;
import dev.orrery.storage.physical.ChronicleCollection;
import dev.orrery.storage.physical.Collections;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the collections that records name by number were called when the record was written. Belongs
 * to one reader, who tells it of each change of a collection that he comes by: the log may be ahead
 * of what the engine shows.
 */
final class CollectionNames {
  private static final int KNOWN_MAX = 10_000;

  private final Collections collections;
  private final PastCollections past;
  private final Map<Integer, CollectionIdentity> known = new HashMap<>();

  CollectionNames(Collections collections, PastCollections past) {
    this.collections = collections;
    this.past = past;
  }

  /** A record says that the collection is so from now on. */
  void put(CollectionInfo info) {
    known.put(info.id(), CollectionIdentity.of(info));
  }

  /** Null when nobody knows it any more. */
  @Nullable CollectionIdentity find(int id, long lsn) {
    CollectionIdentity found = known.get(id);
    if (found == null) {
      found = look(id, lsn);
      if (found != null) {
        if (known.size() >= KNOWN_MAX) {
          known.clear();
        }
        known.put(id, found);
      }
    }
    return found;
  }

  private @Nullable CollectionIdentity look(int id, long lsn) {
    // The present first: whoever changes it has written down the past before.
    ChronicleCollection present = collections.find(id);
    CollectionIdentity now = present == null ? null : CollectionIdentity.of(present.info());
    PastCollections.Entry then = past.find(id, lsn);
    return then == null
        ? now
        : new CollectionIdentity(
            id, then.namespace(), then.uuid(), then.partitionKey(), then.isTimeSeries());
  }
}
