package dev.orrery.storage;

import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.value.Namespace;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Which collection a change was made in: its name at that moment, and what never changes of it.
 *
 * @param partitionKey the dotted path, or null
 * @param isTimeSeries whether followers of changes are told nothing of its documents
 */
public record CollectionIdentity(
    int id, Namespace namespace, UUID uuid, @Nullable String partitionKey, boolean isTimeSeries) {
  public static CollectionIdentity of(CollectionInfo info) {
    return new CollectionIdentity(
        info.id(), info.namespace(), info.uuid(), info.partitionKey(), info.isTimeSeries());
  }
}
