package dev.orrery.server.query;

import dev.orrery.storage.value.RawDocument;
import dev.orrery.storage.value.RawValue;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/**
 * A dotted path as filters read it: through embedded documents, through every element of an array,
 * and by position where a component is a number.
 */
public final class ElementPath {
  /*
   * What {a.b: predicate} looks at, following MongoDB's rules:
   *
   *   {a: {b: 1}}           1
   *   {a: 5}, {}            missing
   *   {a: {b: [1, 2]}}      1, 2, then [1, 2]; only the array if the predicate does not traverse
   *   {a: [{b: 1}, {c: 2}]} 1, missing
   *   {a: [5, [{b: 1}]]}    nothing: scalars and arrays inside an array do not lead on by name
   *
   * A number selects an array element too: a.0 offers the element itself, without looking into it
   * when it is an array, and a.0.b goes on inside it. A document inside the array is also asked
   * for a field called "0", so a.0 of [{b: 1}] offers first missing, then {b: 1}.
   */

  private static final Pattern DOT = Pattern.compile("\\.");

  private final String text;
  private final String[] names;
  private final byte[][] parts;
  private final int[] indexes;

  private ElementPath(String text) {
    this.text = text;
    this.names = text.indexOf('.') < 0 ? new String[] {text} : DOT.split(text, -1);
    this.parts = new byte[names.length][];
    this.indexes = new int[names.length];
    for (int i = 0; i < names.length; i++) {
      parts[i] = names[i].getBytes(StandardCharsets.UTF_8);
      indexes[i] = indexOf(names[i]);
    }
  }

  public static ElementPath of(String text) {
    return new ElementPath(text);
  }

  /** The path as it was written, with its dots. */
  public String text() {
    return text;
  }

  public int size() {
    return names.length;
  }

  public String part(int index) {
    return names[index];
  }

  /** The array position that a component stands for, or -1; "00" and "-1" are only names. */
  static int indexOf(String name) {
    int length = name.length();
    if (length == 0 || length > 9 || (length > 1 && name.charAt(0) == '0')) {
      return -1;
    }
    int index = 0;
    for (int i = 0; i < length; i++) {
      int digit = name.charAt(i) - '0';
      if (digit < 0 || digit > 9) {
        return -1;
      }
      index = index * 10 + digit;
    }
    return index;
  }

  /** Whether a value that this path leads to in {@code document} satisfies the predicate. */
  boolean anyMatch(RawDocument document, ValuePredicate predicate, MatchDetails details) {
    return new Walk(predicate, details).document(document, 0, -1);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ElementPath path && text.equals(path.text);
  }

  @Override
  public int hashCode() {
    return text.hashCode();
  }

  @Override
  public String toString() {
    return text;
  }

  /** One pass over a document; {@code outer} is the position in the outermost array so far. */
  private final class Walk {
    private final ValuePredicate predicate;
    private final MatchDetails details;

    Walk(ValuePredicate predicate, MatchDetails details) {
      this.predicate = predicate;
      this.details = details;
    }

    boolean document(RawDocument document, int part, int outer) {
      var value = document.field(parts[part]);
      if (value == null) {
        return test(null, outer);
      }
      if (value.isArray()) {
        return part + 1 == parts.length
            ? leafArray(value, outer)
            : elements(value.asDocument(), part + 1, outer);
      }
      if (part + 1 == parts.length) {
        return test(value, outer);
      }
      return value.isDocument() ? document(value.asDocument(), part + 1, outer) : test(null, outer);
    }

    private boolean leafArray(RawValue array, int outer) {
      if (predicate.traversesArrays()) {
        var elements = array.asDocument().elements();
        for (int i = 0; elements.next(); i++) {
          if (test(elements.value(), outer < 0 ? i : outer)) {
            return true;
          }
        }
      }
      return test(array, outer);
    }

    /** The elements of an array that the rest of the path, from {@code part}, leads into. */
    private boolean elements(RawDocument array, int part, int outer) {
      var elements = array.elements();
      for (int i = 0; elements.next(); i++) {
        var element = elements.value();
        int index = outer < 0 ? i : outer;
        if (element.isDocument() && document(element.asDocument(), part, index)) {
          return true;
        }
        if (i == indexes[part] && element(element, part, index)) {
          return true;
        }
      }
      return false;
    }

    private boolean element(RawValue element, int part, int outer) {
      if (part + 1 == parts.length) {
        return test(element, outer);
      }
      if (element.isDocument()) {
        return document(element.asDocument(), part + 1, outer);
      }
      return element.isArray() && elements(element.asDocument(), part + 1, outer);
    }

    private boolean test(RawValue value, int outer) {
      if (!predicate.test(value, details)) {
        return false;
      }
      if (outer >= 0) {
        details.record(outer);
      }
      return true;
    }
  }
}
