package dev.orrery.server.command.collection;

import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.query.Collation;
import dev.orrery.storage.catalog.IndexField;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.value.FieldPath;
import dev.orrery.value.KeyDecoder;
import dev.orrery.value.KeyEncoder;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawValue;
import java.util.Arrays;
import java.util.HexFormat;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;

/** MongoDB's E11000: which unique index, and which key is there already. */
public final class DuplicateKeys {
  private DuplicateKeys() {}

  /**
   * The error.
   *
   * @param key the encoded key that two documents share
   * @param document the one that came second; it has the types of the key's values
   */
  public static CommandException error(
      Namespace namespace, IndexSpec index, byte[] key, RawDocument document) {
    if (index.collation() != null) {
      return underCollation(namespace, index, document);
    }
    BsonDocument values = values(index, key, document);
    return new CommandException(
        ErrorCode.DUPLICATE_KEY,
        "E11000 duplicate key error collection: %s index: %s dup key: %s"
            .formatted(namespace, index.name(), BsonText.document(values)),
        new BsonDocument("keyPattern", index.keyPattern()).append("keyValue", values));
  }

  private static BsonDocument values(IndexSpec index, byte[] key, RawDocument document) {
    if (index.isIdIndex()) {
      return new BsonDocument("_id", document.field("_id").toBsonValue());
    }
    var values = new BsonDocument();
    var decoder = new KeyDecoder(key, new byte[0]);
    for (IndexField field : index.fields()) {
      BsonValue value = decoder.next(field.isDescending());
      values.append(field.path().dotted(), original(value, field.path(), document));
    }
    return values;
  }

  /** The value of the document that equals what the key says, which forgot the number's type. */
  private static BsonValue original(BsonValue value, FieldPath path, RawDocument document) {
    byte[] wanted = KeyEncoder.encode(value);
    var found = new RawValue[1];
    path.visit(
        document,
        FieldPath.LeafArrays.EXPAND,
        (candidate, position) -> {
          if (candidate != null && Arrays.equals(KeyEncoder.encode(candidate), wanted)) {
            found[0] = candidate;
          }
          return found[0] != null;
        });
    return found[0] == null ? value : found[0].toBsonValue();
  }

  /** Strings show as the collation's sort keys, in hexadecimal digits. */
  private static CommandException underCollation(
      Namespace namespace, IndexSpec index, RawDocument document) {
    Collation collation = Collation.parse(index.collation());
    var values = new BsonDocument();
    var shown = new BsonDocument();
    var isHex = new BsonArray();
    for (IndexField field : index.fields()) {
      String path = field.path().dotted();
      RawValue found = field.path().find(document);
      BsonValue value = found == null ? org.bson.BsonNull.VALUE : found.toBsonValue();
      isHex.add(BsonBoolean.valueOf(value.isString()));
      if (value.isString()) {
        byte[] key = collation.strings().sortKey(value.asString().getValue());
        // MongoDB shows the key without the zero that ends it.
        int length = key.length > 0 && key[key.length - 1] == 0 ? key.length - 1 : key.length;
        String digits = HexFormat.of().formatHex(key, 0, length);
        values.append(path, new BsonString(digits));
        shown.append(path, new BsonString("CollationKey(0x" + digits + ")"));
      } else {
        values.append(path, value);
        shown.append(path, value);
      }
    }
    return new CommandException(
        ErrorCode.DUPLICATE_KEY,
        "E11000 duplicate key error collection: %s index: %s collation: %s dup key: %s"
            .formatted(
                namespace,
                index.name(),
                BsonText.document(index.collation()),
                BsonText.document(shown)),
        new BsonDocument("keyPattern", index.keyPattern())
            .append("keyValue", values)
            .append("hexEncoded", isHex)
            .append("collation", index.collation()));
  }
}
