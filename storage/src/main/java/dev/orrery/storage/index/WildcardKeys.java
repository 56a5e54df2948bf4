package dev.orrery.storage.index;

import dev.orrery.storage.value.KeyEncoder;
import dev.orrery.storage.value.RawDocument;
import dev.orrery.storage.value.RawElements;
import dev.orrery.storage.value.RawTypes;
import dev.orrery.storage.value.RawValue;
import dev.orrery.storage.value.StringOrder;

/**
 * The keys of a wildcard index: a pair of path and value for every value that is neither a document
 * nor an array. Empty documents are values, an empty array is undefined, and an array directly in
 * an array is a value as a whole. Positions in arrays are no part of the path, and fields with a
 * dot in their name, which no path reaches, are left out.
 */
final class WildcardKeys implements IndexKeys.Source {
  private static final RawValue UNDEFINED = new RawValue(RawTypes.UNDEFINED, new byte[0], 0);

  private final boolean isDescending;
  private final StringOrder strings;
  private final WildcardProjection projection;

  WildcardKeys(IndexSpec spec, StringOrder strings) {
    if (spec.fields().size() != 1) {
      throw new UnsupportedOperationException("no keys for compound wildcard index " + spec);
    }
    IndexField field = spec.fields().get(0);
    this.isDescending = field.isDescending();
    this.strings = strings;
    this.projection = WildcardProjection.of(field.wildcardRoot(), spec.wildcardProjection());
  }

  @Override
  public IndexKeySet keysOf(RawDocument document) {
    var walk = new Walk();
    walk.enter(projection.apply(document), false);
    return walk.keys.build();
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
