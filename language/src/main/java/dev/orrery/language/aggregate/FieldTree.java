package dev.orrery.language.aggregate;

import dev.orrery.language.expression.Dependencies;
import dev.orrery.language.expression.Scope;
import dev.orrery.language.limit.Allowance;
import dev.orrery.language.query.ProjectionNode;
import java.util.LinkedHashMap;
import java.util.Map;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonNull;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** Applies trees of kept, dropped and computed fields to documents. */
final class FieldTree {
  private FieldTree() {}

  /** The same tree with the constants of its expressions computed. */
  static ProjectionNode.Inner optimize(ProjectionNode.Inner inner) {
    Map<String, ProjectionNode> children = new LinkedHashMap<>();
    inner.children().forEach((name, child) -> children.put(name, optimize(child)));
    return new ProjectionNode.Inner(children);
  }

  private static ProjectionNode optimize(ProjectionNode node) {
    if (node instanceof ProjectionNode.Computed computed) {
      return new ProjectionNode.Computed(computed.expression().optimize());
    }
    return node instanceof ProjectionNode.Inner inner ? optimize(inner) : node;
  }

  static boolean hasComputed(ProjectionNode.Inner inner) {
    return inner.children().values().stream()
        .anyMatch(
            child ->
                child instanceof ProjectionNode.Computed
                    || (child instanceof ProjectionNode.Inner deeper && hasComputed(deeper)));
  }

  /** Notes what kept and computed fields read. */
  static void addDependencies(
      ProjectionNode.Inner inner, String prefix, Dependencies dependencies) {
    inner
        .children()
        .forEach(
            (name, child) -> {
              String path = prefix + name;
              if (child instanceof ProjectionNode.Selection selection && selection.isIncluded()) {
                dependencies.addField(path);
              } else if (child instanceof ProjectionNode.Computed computed) {
                computed.expression().addDependencies(dependencies);
                if (!prefix.isEmpty()) {
                  // What is there decides the shape: one document, or one for each element.
                  dependencies.addField(path.substring(0, path.indexOf('.')));
                }
              } else if (child instanceof ProjectionNode.Inner deeper) {
                addDependencies(deeper, path + ".", dependencies);
              }
            });
  }

  /** Only the fields to keep, in the order of the document. */
  static BsonDocument kept(ProjectionNode.Inner tree, BsonDocument document) {
    Allowance.current().steps(document.size());
    var result = new BsonDocument();
    document.forEach(
        (name, value) -> {
          ProjectionNode child = tree.children().get(name);
          if (child instanceof ProjectionNode.Selection selection) {
            if (selection.isIncluded()) {
              result.put(name, value);
            }
          } else if (child instanceof ProjectionNode.Inner deeper) {
            BsonValue kept = kept(deeper, value);
            if (kept != null) {
              result.put(name, kept);
            }
          }
        });
    return result;
  }

  /** What is kept of a value; a scalar only holds the place of what is computed instead of it. */
  private static @Nullable BsonValue kept(ProjectionNode.Inner tree, BsonValue value) {
    if (value instanceof BsonArray elements) {
      var result = new BsonArray(elements.size());
      for (BsonValue element : elements) {
        BsonValue kept = kept(tree, element);
        if (kept != null) {
          result.add(kept);
        }
      }
      return result;
    }
    if (value instanceof BsonDocument fields) {
      return kept(tree, fields);
    }
    return hasComputed(tree) ? BsonNull.VALUE : null;
  }

  /** All but the fields to drop. */
  static BsonDocument withoutDropped(ProjectionNode.Inner tree, BsonDocument document) {
    Allowance.current().steps(document.size());
    var result = new BsonDocument();
    document.forEach(
        (name, value) -> {
          ProjectionNode child = tree.children().get(name);
          if (child instanceof ProjectionNode.Inner deeper) {
            result.put(name, withoutDropped(deeper, value));
          } else if (child == null) {
            result.put(name, value);
          }
        });
    return result;
  }

  private static BsonValue withoutDropped(ProjectionNode.Inner tree, BsonValue value) {
    if (value instanceof BsonArray elements) {
      var result = new BsonArray(elements.size());
      elements.forEach(element -> result.add(withoutDropped(tree, element)));
      return result;
    }
    return value instanceof BsonDocument fields ? withoutDropped(tree, fields) : value;
  }

  /** The document with all computed fields set; expressions see what the scope holds. */
  static BsonDocument computed(ProjectionNode.Inner tree, BsonDocument document, Scope scope) {
    scope.step(document.size() + tree.children().size());
    var result = new BsonDocument();
    result.putAll(document);
    for (var entry : tree.children().entrySet()) {
      BsonValue value;
      if (entry.getValue() instanceof ProjectionNode.Computed computed) {
        value = computed.expression().evaluate(scope);
      } else if (entry.getValue() instanceof ProjectionNode.Inner deeper && hasComputed(deeper)) {
        value = computedIn(deeper, result.get(entry.getKey()), scope);
      } else {
        continue;
      }
      if (value == null) {
        result.remove(entry.getKey());
      } else {
        result.put(entry.getKey(), value);
      }
    }
    return result;
  }

  /** Fields are set in every document of an array; a scalar gives way to a document. */
  private static BsonValue computedIn(
      ProjectionNode.Inner tree, @Nullable BsonValue value, Scope scope) {
    if (value instanceof BsonArray elements) {
      var result = new BsonArray(elements.size());
      elements.forEach(element -> result.add(computedIn(tree, element, scope)));
      return result;
    }
    return computed(tree, value instanceof BsonDocument some ? some : new BsonDocument(), scope);
  }
}
