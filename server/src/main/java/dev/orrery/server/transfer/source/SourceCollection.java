package dev.orrery.server.transfer.source;

import dev.orrery.value.Namespace;

/** A collection or view as a source has it. */
public record SourceCollection(Namespace namespace, CollectionMetadata metadata) {
  public boolean isView() {
    return metadata.isView();
  }
}
