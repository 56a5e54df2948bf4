package dev.orrery.language.update;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import java.util.List;

/** A modifier at the end of its path: applied to what is there, or creating what is not. */
record ModifierLeaf(Modifier modifier) implements LeafNode {
  @Override
  public boolean apply(Edit edit, List<String> path) {
    if (modifier.isOnlyForInsert() && !edit.isInsert()) {
      return false;
    }
    var location = edit.locate(path);
    return location.exists() ? update(edit, location) : create(edit, location);
  }

  private boolean update(Edit edit, Location location) {
    var current = location.value();
    var updated = modifier.update(current, new UpdateTarget(location, edit));
    if (updated == current) {
      return false;
    }
    if (updated != null && modifier.isAppending(current)) {
      edit.append(location, updated.asArray());
    } else {
      edit.replace(location, updated);
    }
    if (location.path().get(0).equals("_id")) {
      throw new CommandException(
          ErrorCode.IMMUTABLE_FIELD,
          "Performing an update on the path '"
              + location.dottedPath()
              + "' would modify the immutable field '_id'");
    }
    if (updated != null && !edit.isInsert()) {
      DocumentRules.requireStorable(edit.document(), location.path(), location.depth(), updated);
    }
    return true;
  }

  private boolean create(Edit edit, Location location) {
    var created = modifier.create(new UpdateTarget(location, edit));
    if (created == null) {
      if (!modifier.allowsBlockedPath()) {
        requireViable(location);
      }
      return false;
    }
    edit.create(location, created);
    if (location.depth() > 0 && location.path().get(0).equals("_id")) {
      throw new CommandException(
          ErrorCode.IMMUTABLE_FIELD,
          "Updating the path '"
              + location.takenPath()
              + "' to "
              + location.text()
              + " would modify the immutable field '_id'");
    }
    return true;
  }

  /** Refuses a path that could not be created even if the operator wanted to. */
  private static void requireViable(Location location) {
    String next = location.path().get(location.depth());
    boolean isViable =
        location.value().isDocument()
            || (location.value().isArray() && UpdatePath.arrayIndex(next) >= 0);
    if (!isViable) {
      throw new CommandException(
          ErrorCode.PATH_NOT_VIABLE,
          "Cannot use the part ("
              + next
              + ") of ("
              + location.dottedPath()
              + ") to traverse the element ({"
              + location.text()
              + "})");
    }
  }
}
