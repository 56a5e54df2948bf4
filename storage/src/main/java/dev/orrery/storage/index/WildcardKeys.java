package dev.orrery.storage.index;

import dev.orrery.storage.catalog.IndexField;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.value.KeyEncoder;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawElements;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import dev.orrery.value.StringOrder;
import java.util.Arrays;
import java.util.List;

/**
 * The keys of a wildcard index: a pair of path and value for every value that is neither a document
 * nor an array. Empty documents are values, an empty array is undefined, and an array directly in
 * an array is a value as a whole. Positions in arrays are no part of the path, and fields with a
 * dot in their name, which no path reaches, are left out.
 */
final class WildcardKeys implements IndexKeys.Source {
  private static final RawValue UNDEFINED = new RawValue(RawTypes.UNDEFINED, new byte[0], 0);

  private static final RawValue MIN_KEY = new RawValue(RawTypes.MIN_KEY, new byte[0], 0);

  private final int fieldCount;
  private final int wildcard;
  private final boolean isDescending;
  private final StringOrder strings;
  private final WildcardProjection projection;
  private final OrderedKeys before;
  private final OrderedKeys after;

  WildcardKeys(IndexSpec spec, StringOrder strings) {
    List<IndexField> fields = spec.fields();
    this.fieldCount = fields.size();
    this.wildcard = position(fields);
    IndexField field = fields.get(wildcard);
    this.isDescending = field.isDescending();
    this.strings = strings;
    this.projection = WildcardProjection.of(field.wildcardRoot(), spec.wildcardProjection());
    this.before = new OrderedKeys(fields.subList(0, wildcard), false, strings);
    this.after = new OrderedKeys(fields.subList(wildcard + 1, fieldCount), false, strings);
  }

  private static int position(List<IndexField> fields) {
    int position = 0;
    while (fields.get(position).kind() != IndexField.Kind.WILDCARD) {
      position++;
    }
    return position;
  }

  @Override
  public IndexKeySet keysOf(RawDocument document) {
    var walk = new Walk();
    walk.enter(projection.apply(document), false);
    return fieldCount == 1 ? walk.keys.build() : surround(document, walk.keys.build());
  }

  private IndexKeySet surround(RawDocument document, IndexKeySet pairs) {
    var keys = new IndexKeySet.Builder(fieldCount);
    IndexKeySet first = before.keysOf(document);
    IndexKeySet last = after.keysOf(document);
    List<byte[]> middle = pairs.keys().isEmpty() ? List.of(noPair()) : pairs.keys();
    for (byte[] start : first.keys()) {
      for (byte[] pair : middle) {
        for (byte[] end : last.keys()) {
          keys.addKey(concatenate(start, pair, end));
        }
      }
    }
    keys.addMultikeyPaths(0, first.multikeyPaths());
    keys.addMultikeyPaths(wildcard, pairs.multikeyPaths());
    keys.addMultikeyPaths(wildcard + 1, last.multikeyPaths());
    return keys.build();
  }

  private byte[] noPair() {
    return new KeyEncoder().append(MIN_KEY, false).append(MIN_KEY, isDescending).toByteArray();
  }

  private static byte[] concatenate(byte[] start, byte[] pair, byte[] end) {
    byte[] key = Arrays.copyOf(start, start.length + pair.length + end.length);
    System.arraycopy(pair, 0, key, start.length, pair.length);
    System.arraycopy(end, 0, key, start.length + pair.length, end.length);
    return key;
  }

  /** One document on its way into keys. */
  private final class Walk {
    final IndexKeySet.Builder keys = new IndexKeySet.Builder(1);
    private final KeyEncoder encoder = new KeyEncoder(strings);
    private final StringBuilder path = new StringBuilder();

    void enter(RawDocument container, boolean isArray) {
      var elements = container.elements();
      while (elements.next()) {
        int parentLength = path.length();
        if (isArray) {
          addElement(elements, true);
        } else if (appendName(elements.name())) {
          addElement(elements, false);
        }
        path.setLength(parentLength);
      }
    }

    private boolean appendName(String name) {
      if (name.indexOf('.') >= 0) {
        return false;
      }
      if (path.length() > 0) {
        path.append('.');
      }
      path.append(name);
      return true;
    }

    private void addElement(RawElements element, boolean isInArray) {
      RawValue value = element.value();
      if (value.isArray() && !isInArray) {
        keys.addMultikeyPath(0, path.toString());
        addArray(value);
      } else if (value.isDocument() && !value.asDocument().isEmpty()) {
        enter(value.asDocument(), false);
      } else {
        addKey(value);
      }
    }

    private void addArray(RawValue array) {
      if (array.asDocument().isEmpty()) {
        addKey(UNDEFINED);
      } else {
        enter(array.asDocument(), true);
      }
    }

    private void addKey(RawValue value) {
      encoder.truncate(0).appendName(path.toString()).append(value, isDescending);
      keys.addKey(encoder.toByteArray());
    }
  }
}
