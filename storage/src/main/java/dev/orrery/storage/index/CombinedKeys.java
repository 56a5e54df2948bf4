package dev.orrery.storage.index;

import dev.orrery.storage.SpecialKeys;
import dev.orrery.storage.catalog.IndexField;
import dev.orrery.storage.catalog.IndexKeyException;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.value.RawDocument;
import dev.orrery.value.StringOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/**
 * The keys of a text or geo index: every combination of the parts of its special fields with the
 * values of the others, each of which goes into arrays by itself.
 */
final class CombinedKeys implements IndexKeys.Source {
  private static final int KEYS_MAX = 100_000;
  private static final byte[] NOTHING = {};

  private final List<IndexField> fields;
  private final StringOrder strings;
  private final SpecialKeys special;

  CombinedKeys(IndexSpec spec, StringOrder strings, SpecialKeys special) {
    this.fields = spec.fields();
    this.strings = strings;
    this.special = special;
  }

  @Override
  public IndexKeySet keysOf(RawDocument document) {
    List<List<byte[]>> parts = special.of(document);
    if (parts == null) {
      return IndexKeySet.EMPTY;
    }
    var keys = new IndexKeySet.Builder(fields.size());
    List<byte[]> combined = List.of(NOTHING);
    int next = 0;
    for (int i = 0; i < fields.size(); i++) {
      IndexField field = fields.get(i);
      if (field.isScore()) {
        continue; // it is part of the pairs before it
      }
      if (field.kind() == IndexField.Kind.ORDERED) {
        IndexKeySet own = new OrderedKeys(List.of(field), false, strings).keysOf(document);
        keys.addMultikeyPaths(i, own.multikeyPaths());
        combined = combined(combined, own.keys());
      } else {
        List<byte[]> own = parts.get(next++);
        if (own.size() > 1) {
          keys.addMultikeyPaths(i, List.of(Set.of(field.path().dotted())));
        }
        combined = combined(combined, own);
      }
    }
    combined.forEach(keys::addKey);
    return keys.build();
  }

  private static List<byte[]> combined(List<byte[]> starts, List<byte[]> ends) {
    if ((long) starts.size() * ends.size() > KEYS_MAX) {
      throw IndexKeyException.tooManyKeys(KEYS_MAX);
    }
    var all = new ArrayList<byte[]>(starts.size() * ends.size());
    for (byte[] start : starts) {
      for (byte[] end : ends) {
        byte[] key = Arrays.copyOf(start, start.length + end.length);
        System.arraycopy(end, 0, key, start.length, end.length);
        all.add(key);
      }
    }
    return all;
  }
}
