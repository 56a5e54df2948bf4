package dev.orrery.storage.index;

import dev.orrery.storage.value.FieldPath;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The keys of one document in one index.
 *
 * @param keys in ascending order, each once
 * @param multikeyPaths for each field of the index the paths at which an array was entered; empty
 *     when there was none anywhere
 */
public record IndexKeySet(List<byte[]> keys, List<Set<String>> multikeyPaths) {
  static final IndexKeySet EMPTY = new IndexKeySet(List.of(), List.of());

  static IndexKeySet single(byte[] key) {
    return new IndexKeySet(List.of(key), List.of());
  }

  /** Whether an array was entered, so that the index may have several keys for the document. */
  public boolean isMultikey() {
    return !multikeyPaths.isEmpty();
  }

  /** Collects keys and paths in any order. */
  static final class Builder {
    private final int fieldCount;
    private final SortedSet<byte[]> keys = new TreeSet<>(Arrays::compareUnsigned);
    private List<Set<String>> multikeyPaths = List.of();

    Builder(int fieldCount) {
      this.fieldCount = fieldCount;
    }

    void addKey(byte[] key) {
      keys.add(key);
    }

    void addMultikeyPath(int field, FieldPath path, int parts) {
      addMultikeyPath(field, path.prefix(parts));
    }

    void addMultikeyPath(int field, String path) {
      if (multikeyPaths.isEmpty()) {
        multikeyPaths = new ArrayList<>(Collections.nCopies(fieldCount, Set.of()));
      }
      if (multikeyPaths.get(field).isEmpty()) {
        multikeyPaths.set(field, new TreeSet<>());
      }
      multikeyPaths.get(field).add(path);
    }

    /** Adds the paths of neighbouring fields, the first of which is {@code firstField}. */
    void addMultikeyPaths(int firstField, List<Set<String>> paths) {
      for (int i = 0; i < paths.size(); i++) {
        for (String path : paths.get(i)) {
          addMultikeyPath(firstField + i, path);
        }
      }
    }

    IndexKeySet build() {
      return new IndexKeySet(List.copyOf(keys), multikeyPaths);
    }
  }
}
