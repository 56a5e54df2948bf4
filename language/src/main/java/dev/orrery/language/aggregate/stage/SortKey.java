package dev.orrery.language.aggregate.stage;

import dev.orrery.language.expression.Work;
import dev.orrery.language.query.SortPattern;
import dev.orrery.value.BsonOrder;
import dev.orrery.value.FieldPath;
import dev.orrery.value.KeyEncoder;
import dev.orrery.value.RawDocument;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.jspecify.annotations.Nullable;

/** Keys of documents by a sort pattern: bytes that order, compared unsigned, as they do. */
public final class SortKey {
  private final SortPattern pattern;
  private final Set<String> heads = new LinkedHashSet<>();

  /** Whether all parts are fields of the document itself. */
  private final boolean isPlain;

  SortKey(SortPattern pattern) {
    this.pattern = pattern;
    for (SortPattern.Part part : pattern.parts()) {
      if (part.path() != null) {
        heads.add(part.path().part(0));
      }
    }
    this.isPlain =
        pattern.parts().stream().allMatch(part -> part.path() != null && part.path().size() == 1);
  }

  public static SortKey parse(BsonDocument pattern, BsonOrder order) {
    return parse(pattern, order, Set.of());
  }

  /**
   * The same.
   *
   * @param metadata what the documents may have of it
   */
  public static SortKey parse(BsonDocument pattern, BsonOrder order, Set<String> metadata) {
    return new SortKey(SortPattern.parse(RawDocument.of(pattern), order, metadata));
  }

  /** The metadata that the pattern names. */
  public List<String> metadata() {
    return pattern.parts().stream()
        .filter(part -> part.path() == null)
        .map(SortPattern.Part::metadata)
        .toList();
  }

  public SortPattern pattern() {
    return pattern;
  }

  /** The paths that the pattern names. */
  public List<String> paths() {
    return pattern.parts().stream()
        .map(SortPattern.Part::path)
        .filter(path -> path != null)
        .map(FieldPath::dotted)
        .toList();
  }

  public byte[] of(BsonDocument document) {
    if (document instanceof RawBsonDocument) {
      return counted(pattern.key(Documents.encode(document)));
    }
    byte[] plain = isPlain ? plainKey(document) : null;
    if (plain != null) {
      return counted(plain);
    }
    var needed = new BsonDocument();
    for (String head : heads) {
      BsonValue value = document.get(head);
      if (value != null) {
        needed.append(head, value);
      }
    }
    RawDocument encoded = RawDocument.of(needed);
    Work.countBytes(encoded.length());
    return counted(pattern.key(encoded));
  }

  /** The same of a document that metadata belong to, by name. */
  public byte[] of(BsonDocument document, Map<String, BsonValue> metadata) {
    RawDocument encoded = Documents.encode(document);
    Work.countBytes(encoded.length());
    return counted(pattern.key(encoded, metadata));
  }

  private static byte[] counted(byte[] key) {
    Work.countBytes(key.length);
    return key;
  }

  /** The key of a document without arrays at the fields of the pattern; else null. */
  private byte @Nullable [] plainKey(BsonDocument document) {
    var encoder = new KeyEncoder(pattern.order().strings());
    for (SortPattern.Part part : pattern.parts()) {
      BsonValue value = document.get(part.path().part(0));
      if (value instanceof BsonArray) {
        return null;
      }
      if (value == null) {
        encoder.appendNull(part.isDescending());
      } else {
        encoder.append(value, part.isDescending());
      }
    }
    return encoder.toByteArray();
  }
}
