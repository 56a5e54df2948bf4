package dev.orrery.storage.postgres;

import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** What the database told of rows that stood in the way of a group, for the next try. */
final class WriteFacts {
  /** A key that a row has. */
  record RowKey(long part, int index, byte[] bytes) {
    @Override
    public boolean equals(Object other) {
      return other instanceof RowKey key
          && part == key.part
          && index == key.index
          && Arrays.equals(bytes, key.bytes);
    }

    @Override
    public int hashCode() {
      return 31 * (31 * Long.hashCode(part) + index) + Arrays.hashCode(bytes);
    }
  }

  /** Unique keys that some record has. */
  final Set<RowKey> taken = new HashSet<>();

  /** Keys of prepared indexes that some other record has. */
  final Set<RowKey> shared = new HashSet<>();

  /** Operations whose document is not the version that was read. */
  final Set<PlannedWrite> outdated = new HashSet<>();

  /** Operations whose keys an open transaction holds. */
  final Set<PlannedWrite> claimed = new HashSet<>();

  /** Bytes under partition keys that come near their limit. */
  final Map<RowKey, Long> sizes = new HashMap<>();
}
