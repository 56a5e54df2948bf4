package dev.orrery.language.geo;

import dev.orrery.language.error.BsonText;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawValue;
import org.jspecify.annotations.Nullable;

/** Values inside of messages about geometry. */
final class GeoText {
  private GeoText() {}

  /** A value alone; a missing one is called as MongoDB calls its end of an object. */
  static String value(@Nullable RawValue value) {
    return value == null ? "EOO" : BsonText.stored(value.toBsonValue());
  }

  static String element(String name, RawValue value) {
    return BsonText.element(name, value.toBsonValue());
  }

  static String document(RawDocument document) {
    return BsonText.document(document.toBsonDocument());
  }
}
