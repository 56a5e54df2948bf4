package dev.orrery.server.transfer;

import dev.orrery.storage.Namespace;

/** A collection or view as a source has it. */
record SourceCollection(Namespace namespace, CollectionMetadata metadata) {
  boolean isView() {
    return metadata.isView();
  }
}
