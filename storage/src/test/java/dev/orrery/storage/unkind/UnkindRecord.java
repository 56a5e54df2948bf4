package dev.orrery.storage.unkind;

import dev.orrery.storage.index.IndexKeySet;
import dev.orrery.storage.structure.PrimaryKey;
import dev.orrery.value.RawDocument;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One document from its insertion to its deletion, with all versions that somebody may see. */
final class UnkindRecord {
  /**
   * A version.
   *
   * @param token names it, and nothing else
   * @param document null when it was deleted
   */
  record Version(
      long sequence, long token, @Nullable RawDocument document, Map<Integer, IndexKeySet> keys) {}

  final long id;
  final long order;
  final PrimaryKey key;
  final List<Version> versions = new ArrayList<>();

  /**
   * @param order in which records came
   */
  UnkindRecord(long id, long order, PrimaryKey key) {
    this.id = id;
    this.order = order;
    this.key = key;
  }

  Version last() {
    return versions.get(versions.size() - 1);
  }

  /** What is to be seen after that commit; null when there is no document. */
  @Nullable Version at(long sequence) {
    for (int i = versions.size() - 1; i >= 0; i--) {
      Version version = versions.get(i);
      if (version.sequence() <= sequence) {
        return version.document() == null ? null : version;
      }
    }
    return null;
  }
}
