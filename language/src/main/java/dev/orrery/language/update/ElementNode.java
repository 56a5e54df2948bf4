package dev.orrery.language.update;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.limit.Allowance;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.bson.BsonArray;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** The operators on all elements of an array, {@code $[]}, or on some of them, {@code $[x]}. */
final class ElementNode implements UpdateNode {
  private final Map<String, ArrayFilter> filters;
  private final Map<String, UpdateNode> children = new TreeMap<>(PathOrder.INSTANCE);

  ElementNode(Map<String, ArrayFilter> filters) {
    this.filters = filters;
  }

  @Nullable UpdateNode child(String identifier) {
    return children.get(identifier);
  }

  void add(String identifier, UpdateNode child) {
    children.put(identifier, child);
  }

  @Override
  public boolean apply(Edit edit, List<String> path) {
    var array = requireArray(edit, path);
    var updates = new ArrayList<@Nullable UpdateNode>(array.size());
    for (int i = 0; i < array.size(); i++) {
      path.add(Integer.toString(i));
      updates.add(updateOf(array.get(i), path));
      path.remove(path.size() - 1);
    }
    boolean isModified = false;
    for (int i = 0; i < updates.size(); i++) {
      var update = updates.get(i);
      if (update != null) {
        path.add(Integer.toString(i));
        isModified |= update.apply(edit, path);
        path.remove(path.size() - 1);
      }
    }
    return isModified;
  }

  private static BsonArray requireArray(Edit edit, List<String> path) {
    var location = edit.locate(path);
    if (!location.exists()) {
      throw new CommandException(
          ErrorCode.BAD_VALUE,
          "The path '"
              + location.dottedPath()
              + "' must exist in the document in order to apply array updates.");
    }
    if (!location.value().isArray()) {
      throw new CommandException(
          ErrorCode.BAD_VALUE,
          "Cannot apply array updates to non-array element " + location.text());
    }
    return location.value().asArray();
  }

  /** All that is to be done with one element; null if nothing is. */
  private @Nullable UpdateNode updateOf(BsonValue element, List<String> path) {
    UpdateNode update = null;
    Allowance allowance = Allowance.current();
    for (var child : children.entrySet()) {
      allowance.step();
      if (child.getKey().isEmpty() || filters.get(child.getKey()).matches(element)) {
        update =
            update == null ? child.getValue() : UpdateNode.merge(update, child.getValue(), path);
      }
    }
    return update;
  }

  ElementNode mergedWith(ElementNode other, List<String> path) {
    var merged = new ElementNode(filters);
    merged.children.putAll(children);
    other.children.forEach(
        (identifier, child) -> {
          var mine = children.get(identifier);
          path.add("$[" + identifier + "]");
          merged.add(identifier, mine == null ? child : UpdateNode.merge(mine, child, path));
          path.remove(path.size() - 1);
        });
    return merged;
  }
}
