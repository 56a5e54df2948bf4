package dev.orrery.value;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A dotted path such as {@code a.b.0.c}, compiled: the names of its parts as bytes. Finds values in
 * raw documents, either by MongoDB's rules for arrays or without entering arrays.
 */
public final class FieldPath {
  private final String dotted;
  private final String[] names;
  private final byte[][] parts;
  private final boolean[] isPosition;

  private FieldPath(String dotted) {
    this.dotted = dotted;
    this.names = dotted.split("\\.", -1);
    this.parts = new byte[names.length][];
    this.isPosition = new boolean[names.length];
    for (int i = 0; i < names.length; i++) {
      parts[i] = names[i].getBytes(StandardCharsets.UTF_8);
      isPosition[i] = isPosition(names[i]);
    }
  }

  /** A loop, and not a stream, since every filter of every request comes here. */
  private static boolean isPosition(String name) {
    for (int i = 0; i < name.length(); i++) {
      if (name.charAt(i) < '0' || name.charAt(i) > '9') {
        return false;
      }
    }
    return !name.isEmpty();
  }

  /** Compiles a path; empty parts are allowed, and are names as any other. */
  public static FieldPath parse(String dotted) {
    return new FieldPath(dotted);
  }

  public String dotted() {
    return dotted;
  }

  /** How many parts the path has. */
  public int size() {
    return parts.length;
  }

  public String part(int index) {
    return names[index];
  }

  public List<String> parts() {
    return List.of(names);
  }

  /** The path of the first {@code count} parts, dotted. */
  public String prefix(int count) {
    return count == names.length ? dotted : String.join(".", Arrays.copyOf(names, count));
  }

  /** What receives the values that a path reaches. */
  @FunctionalInterface
  public interface Visitor {
    /**
     * Takes one value and tells whether to stop.
     *
     * @param value null when a document on the way lacks the field
     * @param arrayIndex the position in the outermost array that the path went through without
     *     naming a position, or -1
     */
    boolean visit(@Nullable RawValue value, int arrayIndex);
  }

  /** What happens to an array that the path ends at. */
  public enum LeafArrays {
    /** Its elements are visited, then the array itself. */
    EXPAND,
    /** Only the array itself is visited. */
    KEEP
  }

  /**
   * The value at the path, or null when it is missing or behind an array: the way to a partition
   * key, where {@code a.0} is a field named "0".
   */
  public @Nullable RawValue find(RawDocument document) {
    var found = locate(document, 0);
    return found == null || found.next < parts.length ? null : found.value;
  }

  /** The value at the path or, if an array comes before, that array; null when it is missing. */
  public @Nullable RawValue findOrArray(RawDocument document) {
    var found = locate(document, 0);
    return found == null ? null : found.value;
  }

  /** A value met on a path, and the number of parts that lead to it. */
  public record Found(RawValue value, int next) {}

  /**
   * Follows the parts from {@code from} on through documents, up to the end or to the first array;
   * null when a field is missing.
   */
  public @Nullable Found locate(RawDocument document, int from) {
    RawDocument current = document;
    for (int i = from; ; i++) {
      RawValue value = current.field(parts[i]);
      if (value == null) {
        return null;
      }
      if (i + 1 == parts.length || value.isArray()) {
        return new Found(value, i + 1);
      }
      if (!value.isDocument()) {
        return null;
      }
      current = value.asDocument();
    }
  }

  /** The field that the part names in a document, or the element it names in an array, or null. */
  public @Nullable RawValue field(RawDocument document, int part) {
    return document.field(parts[part]);
  }

  /**
   * Visits all values that the path reaches by the rules of MongoDB's queries: an array on the way
   * is entered, each document in it goes on with the rest of the path, and a part that is a number
   * names a position too. An array without such documents reaches nothing, not even a missing
   * value.
   *
   * @return whether the visitor stopped
   */
  public boolean visit(RawDocument document, LeafArrays leaves, Visitor visitor) {
    return new Walk(leaves == LeafArrays.EXPAND, visitor).enterDocument(document, 0, -1);
  }

  /** One visit: what does not change while it goes down a document. */
  private final class Walk {
    private final boolean expandsLeaves;
    private final Visitor visitor;

    Walk(boolean expandsLeaves, Visitor visitor) {
      this.expandsLeaves = expandsLeaves;
      this.visitor = visitor;
    }

    boolean enterDocument(RawDocument document, int from, int arrayIndex) {
      var found = locate(document, from);
      if (found == null) {
        return visitor.visit(null, arrayIndex);
      }
      if (found.next < parts.length) {
        return enterArray(found.value, found.next, arrayIndex);
      }
      return found.value.isArray() && expandsLeaves
          ? expandLeaf(found.value, arrayIndex)
          : visitor.visit(found.value, arrayIndex);
    }

    private boolean expandLeaf(RawValue array, int arrayIndex) {
      var elements = array.asDocument().elements();
      for (int i = 0; elements.next(); i++) {
        if (visitor.visit(elements.value(), arrayIndex < 0 ? i : arrayIndex)) {
          return true;
        }
      }
      return visitor.visit(array, arrayIndex);
    }

    private boolean enterArray(RawValue array, int next, int arrayIndex) {
      var elements = array.asDocument().elements();
      for (int i = 0; elements.next(); i++) {
        boolean isDocument = elements.type() == RawTypes.DOCUMENT;
        if (isDocument) {
          var inner = elements.value().asDocument();
          if (enterDocument(inner, next, arrayIndex < 0 ? i : arrayIndex)) {
            return true;
          }
        }
        if (isPosition[next]
            && elements.nameEquals(parts[next])
            && enterPosition(elements.value(), next + 1, arrayIndex)) {
          return true;
        }
      }
      return false;
    }

    /** The element that the part before {@code next} named by its position. */
    private boolean enterPosition(RawValue element, int next, int arrayIndex) {
      if (next == parts.length) { // the element as a whole, also if it is an array
        return visitor.visit(element, arrayIndex);
      }
      if (element.isDocument()) {
        return enterDocument(element.asDocument(), next, arrayIndex);
      }
      return element.isArray() && enterArray(element, next, arrayIndex);
    }
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof FieldPath path && dotted.equals(path.dotted);
  }

  @Override
  public int hashCode() {
    return dotted.hashCode();
  }

  @Override
  public String toString() {
    return dotted;
  }
}
