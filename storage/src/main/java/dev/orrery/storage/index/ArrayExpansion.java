package dev.orrery.storage.index;

import dev.orrery.storage.catalog.IndexField;
import dev.orrery.storage.catalog.IndexKeyException;
import dev.orrery.value.FieldPath;
import dev.orrery.value.KeyEncoder;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import java.util.List;

/*
 * All fields of the index walk down the document together, up to the first array that any of them
 * meets. Those that meet one must meet the same one: two arrays side by side would need a key for
 * every pair of elements, and MongoDB refuses that. Each element of the array then goes on by
 * itself: fields that end at the array take the element as their value, the others go on inside it.
 * So {a.b: 1, a.c: 1} over {a: [{b: 1, c: 2}, {b: 3}]} gives (1, 2) and (3, null).
 *
 * A part of a path that is a number names a position if the array has it: "a.1" over {a: [5, 6]} is
 * 6 alone, and the index does not become multikey by it. If an element also has a field of that
 * name, nobody can say which is meant, and MongoDB refuses the document. An empty array is indexed
 * as undefined, which tells it from null.
 */

/** The keys of one document in which an indexed path meets an array. */
final class ArrayExpansion {
  private static final RawValue NULL = new RawValue(RawTypes.NULL, new byte[0], 0);
  private static final RawValue UNDEFINED = new RawValue(RawTypes.UNDEFINED, new byte[0], 0);

  private final OrderedKeys index;
  private final List<IndexField> fields;
  private final KeyEncoder encoder;
  private final IndexKeySet.Builder keys;

  ArrayExpansion(OrderedKeys index, KeyEncoder encoder) {
    this.index = index;
    this.fields = index.fields();
    this.encoder = encoder;
    this.keys = new IndexKeySet.Builder(fields.size());
  }

  IndexKeySet expand(RawDocument document) {
    expand(document, new Progress(fields.size()), new Position[fields.size()]);
    for (int i = 0; i < fields.size(); i++) {
      RawValue value = fields.get(i).path().findOrArray(document);
      if (value != null && !value.isArray()) {
        keys.addNumbers(i, value);
      }
    }
    return keys.build();
  }

  /** How far each field is: parts of its path that are done, and its value once all are. */
  private static final class Progress {
    final int[] done;
    final RawValue[] values;
    int missing;

    Progress(int fieldCount) {
      this.done = new int[fieldCount];
      this.values = new RawValue[fieldCount];
    }

    Progress(Progress other) {
      this.done = other.done.clone();
      this.values = other.values.clone();
      this.missing = other.missing;
    }
  }

  /** The element of an array that a path names by its position, and what the path finds there. */
  private record Position(RawDocument array, RawValue element, FieldPath.Found found) {}

  /** The array that the fields met, if any, and which of them did. */
  private static final class Meeting {
    final boolean[] isThrough;
    RawValue array;
    String name;

    /** False if a position led to an array inside the array: it is a value as a whole then. */
    boolean entersLeaves = true;

    Meeting(int fieldCount) {
      this.isThrough = new boolean[fieldCount];
    }
  }

  private void expand(RawDocument document, Progress progress, Position[] positions) {
    var meeting = new Meeting(fields.size());
    for (int i = 0; i < fields.size(); i++) {
      if (progress.done[i] < fields.get(i).path().size()) {
        advance(i, document, progress, positions[i], meeting);
      }
    }
    if (meeting.array == null) {
      addKey(progress);
    } else if (meeting.array.asDocument().isEmpty()) {
      expandEmpty(progress, meeting);
    } else {
      expandElements(progress, meeting);
    }
  }

  /** Takes one field as far as it gets: to its value, to an array, or to nothing. */
  private void advance(
      int field, RawDocument document, Progress progress, Position position, Meeting meeting) {
    FieldPath path = fields.get(field).path();
    boolean isHere = path.field(document, progress.done[field]) != null;
    if (isHere && position != null) {
      throw IndexKeyException.ambiguousField(path.part(progress.done[field]), position.array);
    }
    FieldPath.Found found = null;
    if (isHere) {
      found = path.locate(document, progress.done[field]);
    } else if (position != null) {
      found = position.found;
    }
    if (found == null) {
      progress.values[field] = NULL;
      progress.done[field] = path.size();
      progress.missing++;
      return;
    }
    progress.values[field] = found.value();
    progress.done[field] = found.next();
    if (found.value().isArray()) {
      meet(field, found, meeting);
      meeting.entersLeaves &= isHere || !position.element.isArray();
    }
  }

  private void meet(int field, FieldPath.Found found, Meeting meeting) {
    String name = fields.get(field).path().part(found.next() - 1);
    if (meeting.array == null) {
      meeting.array = found.value();
      meeting.name = name;
    } else if (meeting.array.offset() != found.value().offset()) {
      throw IndexKeyException.parallelArrays(name, meeting.name);
    }
    meeting.isThrough[field] = true;
  }

  private void expandEmpty(Progress progress, Meeting meeting) {
    for (int i = 0; i < fields.size(); i++) {
      if (meeting.isThrough[i] && meeting.entersLeaves) {
        keys.addMultikeyPath(i, fields.get(i).path(), progress.done[i]);
      }
    }
    meeting.entersLeaves = true;
    expandElement(UNDEFINED, progress, meeting, new Position[fields.size()]);
  }

  private void expandElements(Progress progress, Meeting meeting) {
    RawDocument array = meeting.array.asDocument();
    var positions = new Position[fields.size()];
    for (int i = 0; i < fields.size(); i++) {
      if (meeting.isThrough[i]) {
        FieldPath path = fields.get(i).path();
        positions[i] = position(path, progress.done[i], array);
        boolean isLeaf = progress.done[i] == path.size();
        if (positions[i] == null && (!isLeaf || meeting.entersLeaves)) {
          keys.addMultikeyPath(i, path, progress.done[i]);
        }
      }
    }
    var elements = array.elements();
    while (elements.next()) {
      expandElement(elements.value(), progress, meeting, positions);
    }
  }

  private static Position position(FieldPath path, int part, RawDocument array) {
    RawValue element = part == path.size() ? null : path.field(array, part);
    return element == null ? null : new Position(array, element, path.locate(array, part));
  }

  private void expandElement(
      RawValue element, Progress progress, Meeting meeting, Position[] positions) {
    var next = new Progress(progress);
    for (int i = 0; i < fields.size(); i++) {
      if (meeting.isThrough[i] && next.done[i] == fields.get(i).path().size()) {
        next.values[i] = meeting.entersLeaves ? element : meeting.array;
      }
    }
    expand(element.isDocument() ? element.asDocument() : RawDocument.EMPTY, next, positions);
  }

  private void addKey(Progress progress) {
    if (index.leavesOut(progress.missing)) {
      return;
    }
    encoder.truncate(0);
    for (int i = 0; i < fields.size(); i++) {
      encoder.append(progress.values[i], fields.get(i).isDescending());
    }
    keys.addKey(encoder.toByteArray());
  }
}
