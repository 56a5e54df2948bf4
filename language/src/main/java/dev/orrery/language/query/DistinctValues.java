package dev.orrery.language.query;

import dev.orrery.value.FieldPath;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawValue;
import java.util.function.Consumer;

/**
 * The values of a path as {@code distinct} collects them: an array at its end gives its elements,
 * an array on the way the values in its elements, or in the one that a number names.
 */
public final class DistinctValues {
  private final FieldPath path;
  private final Consumer<RawValue> values;

  private DistinctValues(FieldPath path, Consumer<RawValue> values) {
    this.path = path;
    this.values = values;
  }

  /** Gives every value that the path leads to, repeated ones too, to {@code values}. */
  public static void forEach(RawDocument document, FieldPath path, Consumer<RawValue> values) {
    new DistinctValues(path, values).enter(document, 0);
  }

  private void enter(RawDocument document, int part) {
    var value = path.field(document, part);
    if (value == null) {
      return;
    }
    if (part + 1 == path.size()) {
      if (value.isArray()) {
        value.asDocument().toValues().forEach(values);
      } else {
        values.accept(value);
      }
    } else if (value.isDocument() || (value.isArray() && isNumber(path.part(part + 1)))) {
      enter(value.asDocument(), part + 1); // an array's fields are named by their positions
    } else if (value.isArray()) {
      enterElements(value.asDocument(), part + 1);
    }
  }

  private void enterElements(RawDocument array, int part) {
    var elements = array.elements();
    while (elements.next()) {
      var element = elements.value();
      if (element.isDocument() || element.isArray()) {
        enter(element.asDocument(), part);
      }
    }
  }

  private static boolean isNumber(String name) {
    return !name.isEmpty() && name.chars().allMatch(c -> c >= '0' && c <= '9');
  }
}
