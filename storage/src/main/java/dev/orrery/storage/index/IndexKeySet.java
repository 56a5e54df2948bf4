package dev.orrery.storage.index;

import dev.orrery.storage.catalog.NumberTypes;
import dev.orrery.value.FieldPath;
import dev.orrery.value.RawValue;
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
 * @param numbers the types of numbers outside arrays
 */
public record IndexKeySet(List<byte[]> keys, List<Set<String>> multikeyPaths, NumberTypes numbers) {
  static final IndexKeySet EMPTY = new IndexKeySet(List.of(), List.of(), NumberTypes.NOTHING);

  static IndexKeySet single(byte[] key) {
    return single(key, 0);
  }

  static IndexKeySet single(byte[] key, long numbers) {
    var types = numbers == 0 ? NumberTypes.NOTHING : new NumberTypes(numbers);
    return new IndexKeySet(List.of(key), List.of(), types);
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
    private long numbers;

    Builder(int fieldCount) {
      this.fieldCount = fieldCount;
    }

    void addKey(byte[] key) {
      keys.add(key);
    }

    /** Notes a value that is not in an array. */
    void addNumbers(int field, RawValue value) {
      numbers = NumberTypes.add(numbers, field, value);
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
      return new IndexKeySet(List.copyOf(keys), multikeyPaths, new NumberTypes(numbers));
    }
  }
}
