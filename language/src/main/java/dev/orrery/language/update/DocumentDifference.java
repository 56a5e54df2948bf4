package dev.orrery.language.update;

import dev.orrery.language.limit.Allowance;
import dev.orrery.value.RawDocument;
import java.util.Iterator;
import java.util.Map;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * What has changed between two versions of a document, found by comparing them. Where it would take
 * more bytes than the new version, the new version is told as a whole, as MongoDB does.
 */
public final class DocumentDifference {
  /** A type, an empty name with its end, the frame of a document. */
  private static final int WRAPPING_BYTES = 1 + 1 + 4 + 1;

  private DocumentDifference() {}

  /** The difference in the form of {@link Delta}; null if the new version is told as a whole. */
  public static @Nullable RawDocument of(RawDocument before, RawDocument after) {
    Delta delta = documents(before.toBsonDocument(), after.toBsonDocument());
    RawDocument told = RawDocument.of(delta.toBson());
    return told.length() > after.length() ? null : told;
  }

  private static Delta documents(BsonDocument before, BsonDocument after) {
    Delta delta = Delta.ofDocument();
    Allowance allowance = Allowance.current();
    Iterator<Map.Entry<String, BsonValue>> old = before.entrySet().iterator();
    Iterator<Map.Entry<String, BsonValue>> fresh = after.entrySet().iterator();
    Map.Entry<String, BsonValue> field = next(fresh);
    while (old.hasNext()) {
      allowance.step();
      Map.Entry<String, BsonValue> was = old.next();
      // Fields that changed their places go, and come anew at the end.
      if (field != null && field.getKey().equals(was.getKey())) {
        compare(delta, was.getKey(), was.getValue(), field.getValue());
        field = next(fresh);
      } else {
        delta.delete(was.getKey());
      }
    }
    for (; field != null; field = next(fresh)) {
      delta.insert(field.getKey(), field.getValue());
    }
    return delta;
  }

  private static <T> @Nullable T next(Iterator<T> iterator) {
    return iterator.hasNext() ? iterator.next() : null;
  }

  private static void compare(Delta delta, String name, BsonValue before, BsonValue after) {
    if (isSame(before, after)) {
      return;
    }
    Delta inner = null;
    if (before.isDocument() && after.isDocument()) {
      inner = documents(before.asDocument(), after.asDocument());
    } else if (before.isArray() && after.isArray()) {
      inner = arrays(before.asArray(), after.asArray());
    }
    if (inner == null || bytes(inner.toBson()) > bytes(after)) {
      delta.update(name, after);
    } else {
      delta.put(name, inner);
    }
  }

  private static Delta arrays(BsonArray before, BsonArray after) {
    Delta delta = Delta.ofArray();
    Allowance allowance = Allowance.current();
    int common = Math.min(before.size(), after.size());
    for (int i = 0; i < common; i++) {
      allowance.step();
      compare(delta, Integer.toString(i), before.get(i), after.get(i));
    }
    for (int i = common; i < after.size(); i++) {
      delta.insert(Integer.toString(i), after.get(i));
    }
    if (after.size() < before.size()) {
      delta.cut(after.size());
    }
    return delta;
  }

  /** Whether they are the same to the byte: 1 and 1.0 are not, nor are two orders of fields. */
  private static boolean isSame(BsonValue before, BsonValue after) {
    return before.getBsonType() == after.getBsonType() && wrapped(before).equals(wrapped(after));
  }

  private static RawDocument wrapped(BsonValue value) {
    return RawDocument.of(new BsonDocument("", value));
  }

  private static int bytes(BsonValue value) {
    return wrapped(value).length() - WRAPPING_BYTES;
  }
}
