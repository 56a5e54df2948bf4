package dev.orrery.language.update;

import dev.orrery.language.limit.Allowance;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The operators on fields of a document or elements of an array that are named or numbered. */
final class FieldNode implements UpdateNode {
  private static final String POSITION = "$";

  private final Map<String, UpdateNode> children = new TreeMap<>(PathOrder.INSTANCE);
  private @Nullable UpdateNode positional;

  @Nullable UpdateNode child(String name) {
    return UpdatePath.isPosition(name) ? positional : children.get(name);
  }

  void add(String name, UpdateNode child) {
    if (UpdatePath.isPosition(name)) {
      positional = child;
    } else {
      children.put(name, child);
    }
  }

  /** The fields that its operators name; null when one of them is positional. */
  @Nullable Set<String> names() {
    return positional == null ? children.keySet() : null;
  }

  @Override
  public boolean apply(Edit edit, List<String> path) {
    boolean isModified = false;
    Allowance allowance = Allowance.current();
    for (var child : childrenFor(edit, path).entrySet()) {
      allowance.step();
      path.add(child.getKey());
      isModified |= child.getValue().apply(edit, path);
      path.remove(path.size() - 1);
    }
    return isModified;
  }

  /** The children with the positional one in its place. */
  private Map<String, UpdateNode> childrenFor(Edit edit, List<String> path) {
    if (positional == null) {
      return children;
    }
    String position = edit.matchedField();
    var resolved = new TreeMap<>(children);
    var other = children.get(position);
    path.add(position);
    resolved.put(position, other == null ? positional : UpdateNode.merge(positional, other, path));
    path.remove(path.size() - 1);
    return resolved;
  }

  FieldNode mergedWith(FieldNode other, List<String> path) {
    var merged = new FieldNode();
    children.forEach(merged::add);
    if (positional != null) {
      merged.add(POSITION, positional);
    }
    other.children.forEach((name, child) -> merged.mergeChild(name, child, path));
    if (other.positional != null) {
      merged.mergeChild(POSITION, other.positional, path);
    }
    return merged;
  }

  private void mergeChild(String name, UpdateNode child, List<String> path) {
    var mine = child(name);
    path.add(name);
    add(name, mine == null ? child : UpdateNode.merge(mine, child, path));
    path.remove(path.size() - 1);
  }
}
