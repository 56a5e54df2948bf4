package dev.orrery.server.store;

import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.text.TextFields;
import dev.orrery.storage.SpecialKeys;
import dev.orrery.storage.catalog.IndexField;
import dev.orrery.storage.catalog.IndexKeyException;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.value.KeyEncoder;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawValue;
import dev.orrery.value.StringOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.bson.BsonDouble;
import org.bson.BsonString;
import org.jspecify.annotations.Nullable;

/** The text field of an index: the terms of a document and their scores, as parts of keys. */
final class TextKeys implements SpecialKeys {
  private final TextFields texts;
  private final List<IndexField> others;

  private TextKeys(TextFields texts, List<IndexField> others) {
    this.texts = texts;
    this.others = others;
  }

  static SpecialKeys of(IndexSpec index) {
    List<IndexField> others =
        index.fields().stream()
            .filter(field -> field.kind() == IndexField.Kind.ORDERED && !field.isScore())
            .toList();
    return new TextKeys(TextFields.of(index.document()), others);
  }

  @Override
  public @Nullable List<List<byte[]>> of(RawDocument document) {
    Map<String, Double> scores;
    try {
      scores = texts.scores(document);
      others.forEach(field -> requireNoArray(field, document));
    } catch (CommandException e) {
      throw IndexKeyException.special(e);
    }
    if (scores.isEmpty()) {
      return null;
    }
    var pairs = new ArrayList<byte[]>(scores.size());
    scores.forEach(
        (term, score) ->
            pairs.add(
                new KeyEncoder(StringOrder.UTF8)
                    .append(new BsonString(term), false)
                    .append(new BsonDouble(score), false)
                    .toByteArray()));
    return List.of(pairs);
  }

  private static void requireNoArray(IndexField field, RawDocument document) {
    RawDocument current = document;
    for (String part : field.path().parts()) {
      RawValue value = current == null ? null : current.field(part);
      if (value != null && value.isArray()) {
        throw new CommandException(
            ErrorCode.CANNOT_BUILD_INDEX_KEYS,
            "Field '%s' of text index contains an array in document: %s"
                .formatted(field.path().dotted(), BsonText.document(document.toBsonDocument())));
      }
      current = value != null && value.isDocument() ? value.asDocument() : null;
    }
  }
}
