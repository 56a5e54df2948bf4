package dev.orrery.storage.index;

import dev.orrery.storage.catalog.IndexField;
import dev.orrery.storage.catalog.NumberTypes;
import dev.orrery.value.KeyEncoder;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawValue;
import dev.orrery.value.StringOrder;
import java.util.List;

/** The keys of an index by value: one for a document without arrays on its paths. */
final class OrderedKeys implements IndexKeys.Source {
  private final List<IndexField> fields;
  private final boolean isSparse;
  private final StringOrder strings;

  OrderedKeys(List<IndexField> fields, boolean isSparse, StringOrder strings) {
    this.fields = fields;
    this.isSparse = isSparse;
    this.strings = strings;
  }

  @Override
  public IndexKeySet keysOf(RawDocument document) {
    var encoder = new KeyEncoder(strings);
    int missing = 0;
    long numbers = 0;
    for (int i = 0; i < fields.size(); i++) {
      IndexField field = fields.get(i);
      RawValue value = field.path().findOrArray(document);
      if (value == null) {
        missing++;
        encoder.appendNull(field.isDescending());
      } else if (value.isArray()) {
        return new ArrayExpansion(this, encoder).expand(document);
      } else {
        encoder.append(value, field.isDescending());
        numbers = NumberTypes.add(numbers, i, value);
      }
    }
    return leavesOut(missing)
        ? IndexKeySet.EMPTY
        : IndexKeySet.single(encoder.toByteArray(), numbers);
  }

  List<IndexField> fields() {
    return fields;
  }

  /** A sparse index leaves a document out only if all its fields are missing. */
  boolean leavesOut(int missing) {
    return isSparse && missing == fields.size();
  }
}
