package dev.orrery.server.update;

import dev.orrery.storage.value.RawDocument;
import java.util.ArrayList;

/** An update by operators: {@code {$set: {a: 1}, $inc: {b: 2}}}. */
final class OperatorUpdate extends Update {
  private final UpdateNode root;
  private final boolean isPositional;

  OperatorUpdate(UpdateNode root, boolean isPositional) {
    this.root = root;
    this.isPositional = isPositional;
  }

  @Override
  public boolean isPositional() {
    return isPositional;
  }

  @Override
  boolean keepsFilterFields() {
    return true;
  }

  @Override
  boolean edit(Edit edit, RawDocument before) {
    return root.apply(edit, new ArrayList<>());
  }
}
