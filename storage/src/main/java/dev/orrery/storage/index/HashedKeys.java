package dev.orrery.storage.index;

import dev.orrery.storage.catalog.IndexField;
import dev.orrery.storage.catalog.IndexKeyException;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.value.FieldPath;
import dev.orrery.value.KeyEncoder;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import dev.orrery.value.StringOrder;
import java.util.List;

/**
 * The key of an index with a hashed field; such an index takes no arrays, in none of its fields.
 */
final class HashedKeys implements IndexKeys.Source {
  private static final RawValue NULL = new RawValue(RawTypes.NULL, new byte[0], 0);

  private final List<IndexField> fields;
  private final boolean isSparse;
  private final StringOrder strings;

  HashedKeys(IndexSpec spec, StringOrder strings) {
    this.fields = spec.fields();
    this.isSparse = spec.isSparse();
    this.strings = strings;
  }

  @Override
  public IndexKeySet keysOf(RawDocument document) {
    var encoder = new KeyEncoder(strings);
    int missing = 0;
    for (IndexField field : fields) {
      FieldPath.Found found = field.path().locate(document, 0);
      if (found != null && found.value().isArray()) {
        throw IndexKeyException.hashedArray(field.path().prefix(found.next()));
      }
      missing += found == null ? 1 : 0;
      RawValue value = found == null ? NULL : found.value();
      if (field.kind() == IndexField.Kind.HASHED) {
        encoder.append(MongoHash.forIndex(value, strings), false);
      } else {
        encoder.append(value, field.isDescending());
      }
    }
    return isSparse && missing == fields.size()
        ? IndexKeySet.EMPTY
        : IndexKeySet.single(encoder.toByteArray());
  }
}
