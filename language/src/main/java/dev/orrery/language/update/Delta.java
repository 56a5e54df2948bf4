package dev.orrery.language.update;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonValue;

/**
 * The difference that a change makes to a document or array, as MongoDB's log of operations writes
 * it, which followers of changes are told of.
 *
 * <pre>
 * document: {d: {gone: false}, u: {changed: 1}, i: {new: 2}, sName: a difference}
 * array:    {a: true, l: new length, u3: changed or new element, s4: a difference}
 * </pre>
 */
final class Delta {
  private final boolean isArray;
  private final BsonDocument deleted = new BsonDocument();
  private final BsonDocument updated = new BsonDocument();
  private final BsonDocument inserted = new BsonDocument();
  private final Map<String, Delta> inside = new LinkedHashMap<>();
  private final Map<Integer, BsonValue> elements = new TreeMap<>();
  private final Map<Integer, Delta> insideElements = new TreeMap<>();
  private int length = -1;

  private Delta(boolean isArray) {
    this.isArray = isArray;
  }

  static Delta ofDocument() {
    return new Delta(false);
  }

  static Delta ofArray() {
    return new Delta(true);
  }

  void delete(String name) {
    deleted.append(name, BsonBoolean.FALSE);
  }

  void update(String name, BsonValue value) {
    if (isArray) {
      elements.put(Integer.parseInt(name), value);
    } else {
      updated.append(name, value);
    }
  }

  void insert(String name, BsonValue value) {
    if (isArray) {
      update(name, value);
    } else {
      deleted.remove(name);
      inserted.append(name, value);
    }
  }

  void cut(int newLength) {
    length = newLength;
  }

  void put(String name, Delta difference) {
    if (isArray) {
      insideElements.put(Integer.parseInt(name), difference);
    } else {
      inside.put(name, difference);
    }
  }

  /**
   * The difference of what a path leads to, of which the last part is left for the caller; null
   * when something on the way is new as a whole, and so told already.
   */
  Delta to(BsonDocument root, List<String> path) {
    Delta at = this;
    BsonValue value = root;
    for (String name : path.subList(0, path.size() - 1)) {
      if (at.hasWhole(name)) {
        return null;
      }
      value = child(value, name);
      Delta next = at.isArray ? at.insideElements.get(index(name)) : at.inside.get(name);
      if (next == null) {
        next = new Delta(value.isArray());
        at.put(name, next);
      }
      at = next;
    }
    return at;
  }

  private boolean hasWhole(String name) {
    return isArray
        ? elements.containsKey(index(name))
        : updated.containsKey(name) || inserted.containsKey(name);
  }

  private static int index(String name) {
    return Integer.parseInt(name);
  }

  private static BsonValue child(BsonValue value, String name) {
    return value instanceof BsonArray array ? array.get(index(name)) : value.asDocument().get(name);
  }

  BsonDocument toBson() {
    return isArray ? arrayToBson() : documentToBson();
  }

  private BsonDocument documentToBson() {
    var document = new BsonDocument();
    append(document, "d", deleted);
    append(document, "u", updated);
    append(document, "i", inserted);
    inside.forEach((name, difference) -> document.append("s" + name, difference.toBson()));
    return document;
  }

  private static void append(BsonDocument document, String name, BsonDocument part) {
    if (!part.isEmpty()) {
      document.append(name, part);
    }
  }

  private BsonDocument arrayToBson() {
    var document = new BsonDocument("a", BsonBoolean.TRUE);
    if (length >= 0) {
      document.append("l", new BsonInt32(length));
    }
    var all = new TreeMap<Integer, String>();
    elements.keySet().forEach(at -> all.put(at, "u"));
    insideElements.keySet().forEach(at -> all.putIfAbsent(at, "s"));
    all.forEach(
        (at, kind) ->
            document.append(
                kind + at, kind.equals("u") ? elements.get(at) : insideElements.get(at).toBson()));
    return document;
  }
}
