package dev.orrery.server.plan;

import dev.orrery.language.query.Projection;
import dev.orrery.language.query.ProjectionNode;
import dev.orrery.language.query.SortPattern;
import dev.orrery.server.plan.bounds.IndexAccess;
import dev.orrery.storage.PartitionStore.FieldsSeen;
import dev.orrery.storage.catalog.IndexField;
import dev.orrery.value.KeyParts;
import dev.orrery.value.RawDocument;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/*
 * As in MongoDB a projection is covered when the key of one index entry has every field that is
 * kept or sorted by, and the bounds of the scan say all that the filter says. What the key cannot
 * tell keeps a field from being covered: arrays, hashes, text under a collation, and numbers of
 * mixed types (see NumberTypes); of the values in a wildcard index nobody notes the types. A field
 * that the document lacks is null in the key and comes out as null: MongoDB's covered queries do
 * the same. Stages of a pipeline tell missing from null, so for them a document with a null in its
 * key is fetched.
 */

/**
 * The fields of an index that answer a query without its documents.
 *
 * @param isExact whether null must not stand for missing
 */
record Covering(List<IndexAccess.Part> parts, Set<String> wanted, boolean isExact) {
  /** What an index must have to cover the query; null if no index can. */
  static @Nullable Set<String> wanted(Query query) {
    Query.Output output = query.output();
    if (output.fields() != null) {
      var fields = new HashSet<>(output.fields());
      return addSort(query.order().sort(), fields) ? fields : null;
    }
    Projection projection = output.projection();
    boolean isPlain =
        projection != null
            && projection.isInclusion()
            && projection.isSimple()
            && !output.isKeyOnly()
            && !output.hasRecordId();
    if (!isPlain) {
      return null;
    }
    var paths = new HashSet<String>();
    addPaths(projection.root(), "", paths);
    return addSort(query.order().sort(), paths) ? paths : null;
  }

  private static void addPaths(ProjectionNode.Inner inner, String prefix, Set<String> paths) {
    inner
        .children()
        .forEach(
            (name, child) -> {
              if (child instanceof ProjectionNode.Inner deeper) {
                addPaths(deeper, prefix + name + ".", paths);
              } else if (child instanceof ProjectionNode.Selection kept && kept.isIncluded()) {
                paths.add(prefix + name);
              }
            });
  }

  private static boolean addSort(@Nullable SortPattern sort, Set<String> paths) {
    for (SortPattern.Part part : sort == null ? List.<SortPattern.Part>of() : sort.parts()) {
      if (part.path() == null) {
        return false;
      }
      paths.add(part.path().dotted());
    }
    return true;
  }

  /** Whether the entries of an index have all the wanted fields. */
  static @Nullable Covering of(
      IndexAccess access, Set<String> wanted, FieldsSeen seen, boolean isExact) {
    boolean isReadable =
        access.index().collation() == null
            && !access.isWildcard()
            && access.parts().stream().allMatch(one -> one.kind() == IndexField.Kind.ORDERED);
    var missing = new HashSet<>(wanted);
    for (int i = 0; isReadable && i < access.parts().size(); i++) {
      String path = access.parts().get(i).path();
      if (missing.remove(path)) {
        isReadable = canRead(i, seen) && !isEntangled(access, path);
      }
    }
    return isReadable && missing.isEmpty() ? new Covering(access.parts(), wanted, isExact) : null;
  }

  private static boolean canRead(int field, FieldsSeen seen) {
    return (seen.multikeyFields() >> field & 1) == 0 && seen.numbers().canRead(field);
  }

  /** Whether the path names a position, or another field of the index lies above or below it. */
  private static boolean isEntangled(IndexAccess access, String path) {
    return Arrays.stream(path.split("\\.")).anyMatch(Covering::isNumber)
        || access.parts().stream()
            .anyMatch(
                other ->
                    other.path().startsWith(path + ".") || path.startsWith(other.path() + "."));
  }

  private static boolean isNumber(String name) {
    return !name.isEmpty() && name.chars().allMatch(c -> c >= '0' && c <= '9');
  }

  /** The wanted fields as the key of an entry tells them; null if it cannot. */
  @Nullable RawDocument read(byte[] key, FieldsSeen seen) {
    if (wanted.isEmpty()) {
      return RawDocument.EMPTY;
    }
    var document = new BsonDocument();
    int start = 0;
    for (int i = 0; i < parts.size(); i++) {
      IndexAccess.Part part = parts.get(i);
      int end = KeyParts.end(key, start, part.isDescending());
      if (wanted.contains(part.path())) {
        if (!canRead(i, seen)) {
          return null;
        }
        byte[] one = Arrays.copyOfRange(key, start, end);
        BsonValue value = seen.numbers().read(i, one, part.isDescending());
        if (isExact && value.isNull()) {
          return null;
        }
        put(document, part.path(), value);
      }
      start = end;
    }
    return RawDocument.of(document);
  }

  private static void put(BsonDocument document, String path, BsonValue value) {
    int dot = path.indexOf('.');
    if (dot < 0) {
      document.append(path, value);
      return;
    }
    String first = path.substring(0, dot);
    document.putIfAbsent(first, new BsonDocument());
    put(document.getDocument(first), path.substring(dot + 1), value);
  }

  /** What a projection would say to the same end: {@code {a: true, _id: false}}. */
  BsonDocument projection() {
    var projection = new BsonDocument();
    wanted.stream()
        .sorted()
        .filter(path -> !path.equals("_id"))
        .forEach(path -> projection.append(path, BsonBoolean.TRUE));
    return projection.append("_id", BsonBoolean.valueOf(wanted.contains("_id")));
  }
}
