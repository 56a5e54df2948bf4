package dev.orrery.storage.overlay;

import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.PartitionStore;
import dev.orrery.storage.partition.EpkRange;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawValue;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A collection as a transaction sees it, with the documents that it changed. */
final class OwnCollection {
  private final CollectionStore collection;
  private final Ground ground;
  private final Map<OwnKey, OwnDocument> byKey = new HashMap<>();

  /** By range and not by partition: an engine may show others as time goes on. */
  private final Map<EpkRange, OwnPart> parts = new HashMap<>();

  OwnCollection(CollectionStore collection, Ground ground) {
    this.collection = collection;
    this.ground = ground;
  }

  Ground ground() {
    return ground;
  }

  List<PartitionStore> partitions() {
    return ground.snapshot().partitions(collection).stream()
        .<PartitionStore>map(one -> new OverlayPartition(this, one))
        .toList();
  }

  OverlayPartition partitionOf(@Nullable RawValue partitionKey) {
    return new OverlayPartition(this, ground.snapshot().partitionOf(collection, partitionKey));
  }

  /** Null when the transaction did not change it. */
  @Nullable OwnDocument find(byte[] primaryKey) {
    return byKey.isEmpty() ? null : byKey.get(new OwnKey(primaryKey));
  }

  /** What was changed there; null for nothing. */
  @Nullable OwnPart part(EpkRange range) {
    return byKey.isEmpty() ? null : parts.computeIfAbsent(range, this::newPart);
  }

  private OwnPart newPart(EpkRange range) {
    var part = new OwnPart();
    byKey.values().stream().filter(one -> range.contains(one.place.epk())).forEach(part::add);
    return part;
  }

  /** Takes up a document that is about to change. */
  void add(OwnDocument document) {
    byKey.put(new OwnKey(document.place.primaryKey()), document);
    parts.forEach(
        (range, part) -> {
          if (range.contains(document.place.epk())) {
            part.add(document);
          }
        });
  }

  /** Changes a document, in all indexes that were looked at too. */
  void change(OwnDocument document, @Nullable RawDocument after, long version) {
    List<OwnPart> its =
        parts.values().stream().filter(one -> one.find(document.recordId()) == document).toList();
    its.forEach(part -> part.remove(document));
    document.become(after, version);
    its.forEach(part -> part.add(document));
  }
}
