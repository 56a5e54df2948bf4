package dev.orrery.server.store;

import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.geo.FlatKeys;
import dev.orrery.language.geo.InvalidGeometryException;
import dev.orrery.language.geo.SphereKeys;
import dev.orrery.storage.SpecialKeys;
import dev.orrery.storage.catalog.IndexField;
import dev.orrery.storage.catalog.IndexKeyException;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.value.FieldPath;
import dev.orrery.value.KeyEncoder;
import dev.orrery.value.RawDocument;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.bson.BsonNull;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** The geo fields of an index: where the geometry of a document lies, as parts of keys. */
final class GeoKeys implements SpecialKeys {
  private static final byte[] NULL = KeyEncoder.encode(BsonNull.VALUE);

  /** What becomes of one field. */
  private interface Cells {
    Collection<BsonValue> of(RawDocument document, FieldPath path);
  }

  private final List<IndexField> fields;
  private final Cells cells;
  private final boolean isSparse;

  private GeoKeys(List<IndexField> fields, Cells cells, boolean isSparse) {
    this.fields = fields;
    this.cells = cells;
    this.isSparse = isSparse;
  }

  static SpecialKeys of(IndexSpec index) {
    List<IndexField> fields =
        index.fields().stream().filter(field -> field.kind() != IndexField.Kind.ORDERED).toList();
    if (index.has(IndexField.Kind.GEO_2D)) {
      FlatKeys keys = FlatKeys.of(index.document());
      return new GeoKeys(fields, keys::of, true);
    }
    SphereKeys keys = SphereKeys.of(index.document());
    return new GeoKeys(fields, keys::of, keys.isSparse());
  }

  @Override
  public @Nullable List<List<byte[]>> of(RawDocument document) {
    var parts = new ArrayList<List<byte[]>>();
    boolean isEmpty = true;
    for (IndexField field : fields) {
      Collection<BsonValue> found = cells(document, field);
      isEmpty &= found.isEmpty();
      parts.add(found.isEmpty() ? List.of(NULL) : found.stream().map(KeyEncoder::encode).toList());
    }
    return isEmpty && isSparse ? null : parts;
  }

  private Collection<BsonValue> cells(RawDocument document, IndexField field) {
    try {
      return cells.of(document, field.path());
    } catch (InvalidGeometryException e) {
      throw IndexKeyException.special(
          new CommandException(
              ErrorCode.LOCATION_16755,
              "Can't extract geo keys: %s  %s"
                  .formatted(BsonText.document(document.toBsonDocument()), e.getMessage())));
    } catch (CommandException e) {
      throw IndexKeyException.special(e);
    }
  }
}
