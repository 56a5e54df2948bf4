package dev.orrery.storage.index;

import dev.orrery.value.ArrayIndexes;
import dev.orrery.value.BsonEncoder;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawElements;
import dev.orrery.value.RawTypes;
import java.util.LinkedHashMap;
import java.util.Map;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonValue;

/**
 * Which part of a document a wildcard index takes: the paths it includes, or all but those it
 * excludes. {@code _id} is left out unless it is asked for. Arrays are entered, but not arrays
 * directly in arrays.
 */
final class WildcardProjection {
  private static final String ID = "_id";

  /** A path of the projection; one without children stands for its whole subtree. */
  private static final class Node {
    final Map<String, Node> children = new LinkedHashMap<>();

    void add(String dottedPath) {
      Node node = this;
      for (String part : dottedPath.split("\\.", -1)) {
        node = node.children.computeIfAbsent(part, name -> new Node());
      }
    }

    boolean isWhole() {
      return children.isEmpty();
    }
  }

  private final boolean isInclusion;
  private final Node root = new Node();

  private WildcardProjection(BsonDocument projection) {
    this.isInclusion = isInclusion(projection);
    projection.forEach(
        (path, value) -> {
          if (!path.equals(ID) && !value.isDocument()) {
            root.add(path);
          } else if (value.isDocument()) {
            addNested(path, value.asDocument());
          }
        });
    boolean takesId = projection.containsKey(ID) && isTrue(projection.get(ID));
    if (takesId == isInclusion) {
      root.add(ID);
    }
  }

  /** For the subtree below a root, or the whole document if that is empty. */
  static WildcardProjection of(String wildcardRoot, BsonDocument projection) {
    if (!wildcardRoot.isEmpty()) {
      return new WildcardProjection(new BsonDocument(wildcardRoot, new BsonInt32(1)));
    }
    return new WildcardProjection(projection == null ? new BsonDocument() : projection);
  }

  private void addNested(String path, BsonDocument projection) {
    projection.forEach(
        (name, value) -> {
          if (value.isDocument()) {
            addNested(path + "." + name, value.asDocument());
          } else {
            root.add(path + "." + name);
          }
        });
  }

  /** Told by any value but that of _id; _id alone tells it for itself. */
  private static boolean isInclusion(BsonDocument projection) {
    for (Map.Entry<String, BsonValue> entry : projection.entrySet()) {
      if (entry.getValue().isDocument()) {
        return isInclusion(entry.getValue().asDocument());
      }
      if (!entry.getKey().equals(ID)) {
        return isTrue(entry.getValue());
      }
    }
    return projection.containsKey(ID) && isTrue(projection.get(ID));
  }

  private static boolean isTrue(BsonValue value) {
    return value.isBoolean()
        ? value.asBoolean().getValue()
        : value.isNumber() && value.asNumber().doubleValue() != 0;
  }

  RawDocument apply(RawDocument document) {
    var out = new BsonEncoder(document.length());
    project(document, root, out);
    return RawDocument.wrap(out.buffer(), 0, out.length());
  }

  private void project(RawDocument document, Node node, BsonEncoder out) {
    int start = out.startDocument();
    var elements = document.elements();
    while (elements.next()) {
      Node child = node.children.get(elements.name());
      if (child == null || child.isWhole()) {
        if (isInclusion == (child != null)) {
          out.writeElement(elements, document.bytes());
        }
      } else if (elements.type() == RawTypes.DOCUMENT) {
        out.writeName(RawTypes.DOCUMENT, elements.name());
        project(elements.value().asDocument(), child, out);
      } else if (elements.type() == RawTypes.ARRAY) {
        out.writeName(RawTypes.ARRAY, elements.name());
        projectArray(elements, child, out);
      } else if (!isInclusion) {
        out.writeElement(elements, document.bytes());
      }
    }
    out.endDocument(start);
  }

  private void projectArray(RawElements array, Node node, BsonEncoder out) {
    int start = out.startDocument();
    var elements = array.value().asDocument().elements();
    for (int i = 0; elements.next(); ) {
      if (elements.type() == RawTypes.DOCUMENT) {
        out.writeName(RawTypes.DOCUMENT, ArrayIndexes.name(i++));
        project(elements.value().asDocument(), node, out);
      } else if (!isInclusion) {
        out.writeElement(ArrayIndexes.name(i++), elements.value());
      }
    }
    out.endDocument(start);
  }
}
