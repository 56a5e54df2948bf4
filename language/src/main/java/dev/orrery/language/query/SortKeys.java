package dev.orrery.language.query;

import static dev.orrery.language.query.FilterParser.badValue;

import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.value.FieldPath;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The keys under which a document sorts by several paths, one for each element of an array that a
 * path goes through: what an index on those paths would hold.
 */
final class SortKeys {
  /*
   * {a: [{b: 1, c: 5}, {b: 2, c: 7}], d: 3} by a.b, a.c, d has the keys (1, 5, 3) and (2, 7, 3):
   * paths through the same array advance together. Through two different arrays they would give
   * every combination, which MongoDB refuses. A missing field is null, an empty array at the end of
   * a path is undefined, which sorts before null. A number in a path selects one element: a.0.b of
   * the above is 1. An array that a number selected at the end of a path is a value as it is,
   * unless it is empty.
   */

  private static final RawValue NULL = new RawValue(RawTypes.NULL, new byte[0], 0);
  private static final RawValue UNDEFINED = new RawValue(RawTypes.UNDEFINED, new byte[0], 0);

  private final List<FieldPath> paths;
  private final Consumer<RawValue[]> keys;

  private SortKeys(List<FieldPath> paths, Consumer<RawValue[]> keys) {
    this.paths = paths;
    this.keys = keys;
  }

  /** Gives every key of the document to {@code keys}, which must copy what it keeps. */
  static void forEach(RawDocument document, List<FieldPath> paths, Consumer<RawValue[]> keys) {
    new SortKeys(paths, keys).expand(document, new State(paths.size()), null);
  }

  /** How far each path has come. */
  private static final class State {
    /** The values found so far. */
    final RawValue[] values;

    /** The next part of each path; all parts are used up when its value is found. */
    final int[] next;

    final boolean[] isFound;

    State(int size) {
      values = new RawValue[size];
      next = new int[size];
      isFound = new boolean[size];
    }

    State(State other) {
      values = other.values.clone();
      next = other.next.clone();
      isFound = other.isFound.clone();
    }

    void found(int path, RawValue value) {
      values[path] = value;
      isFound[path] = true;
    }
  }

  /** An element that a number in a path selected, and what the rest of the path finds in it. */
  private record Selected(RawDocument array, RawValue element, FieldPath.Found rest) {}

  private void expand(RawDocument document, State state, Selected @Nullable [] selected) {
    RawValue array = null;
    boolean[] isInArray = new boolean[paths.size()];
    for (int i = 0; i < paths.size(); i++) {
      if (!state.isFound[i]) {
        isInArray[i] = advance(document, state, i, selected == null ? null : selected[i]);
        if (isInArray[i]) {
          array = requireSame(array, state.values[i]);
        }
      }
    }
    if (array == null) {
      keys.accept(state.values);
    } else {
      expandArray(array, state, isInArray);
    }
  }

  /** Moves one path on through the document; true if it came to an array to go through. */
  private boolean advance(RawDocument document, State state, int i, @Nullable Selected selected) {
    var path = paths.get(i);
    FieldPath.Found found = null;
    boolean isSelectedArray = false;
    if (path.field(document, state.next[i]) != null) {
      refuseAmbiguous(path.part(state.next[i]), selected);
      found = path.locate(document, state.next[i]);
    } else if (selected != null) {
      found = selected.rest();
      isSelectedArray = selected.element().isArray();
    }
    if (found == null) {
      state.found(i, NULL);
      return false;
    }
    state.values[i] = found.value();
    state.next[i] = found.next();
    boolean isAtEnd = found.next() == path.size();
    if (found.value().isArray()
        && !(isAtEnd && isSelectedArray && !found.value().asDocument().isEmpty())) {
      return true;
    }
    state.isFound[i] = true;
    return false;
  }

  private static void refuseAmbiguous(String name, @Nullable Selected selected) {
    if (selected != null) {
      throw new CommandException(
          ErrorCode.LOCATION_16746,
          "Ambiguous field name found in array (do not use numeric field names in embedded elements"
              + " in an array), field: '"
              + name
              + "' for array: "
              + BsonText.document(selected.array().toBsonDocument()));
    }
  }

  private static RawValue requireSame(@Nullable RawValue array, RawValue other) {
    if (array != null && array.offset() != other.offset()) {
      throw badValue("cannot sort with keys that are parallel arrays");
    }
    return other;
  }

  private void expandArray(RawValue array, State state, boolean[] isInArray) {
    var elements = array.asDocument();
    if (elements.isEmpty()) {
      expandElement(UNDEFINED, state, isInArray, null);
      return;
    }
    var selected = selectElements(elements, state, isInArray);
    var cursor = elements.elements();
    while (cursor.next()) {
      expandElement(cursor.value(), new State(state), isInArray, selected);
    }
  }

  private void expandElement(
      RawValue element, State state, boolean[] isInArray, Selected @Nullable [] selected) {
    for (int i = 0; i < isInArray.length; i++) {
      if (isInArray[i] && state.next[i] == paths.get(i).size()) {
        state.found(i, element);
      }
    }
    expand(element.isDocument() ? element.asDocument() : RawDocument.EMPTY, state, selected);
  }

  private Selected[] selectElements(RawDocument array, State state, boolean[] isInArray) {
    var selected = new Selected[isInArray.length];
    for (int i = 0; i < isInArray.length; i++) {
      var path = paths.get(i);
      if (isInArray[i] && state.next[i] < path.size()) {
        var element = path.field(array, state.next[i]);
        if (element != null) { // an array's fields are named by their positions
          selected[i] = new Selected(array, element, path.locate(array, state.next[i]));
        }
      }
    }
    return selected;
  }
}
