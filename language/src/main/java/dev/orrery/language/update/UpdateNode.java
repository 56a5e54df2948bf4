package dev.orrery.language.update;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import java.util.List;

/**
 * The operators of an update as a tree by path, which finds conflicts and gives the order in which
 * they are applied. Not changed any more once the update is parsed.
 */
sealed interface UpdateNode permits FieldNode, ElementNode, LeafNode {
  /**
   * Applies the operators below this node.
   *
   * @param path leads to this node, with positions resolved; the node adds to it and takes away
   *     what it added
   * @return whether anything was changed
   */
  boolean apply(Edit edit, List<String> path);

  /** One node with the operators of two that turned out to stand at the same place. */
  static UpdateNode merge(UpdateNode left, UpdateNode right, List<String> path) {
    if (left instanceof FieldNode leftFields && right instanceof FieldNode rightFields) {
      return leftFields.mergedWith(rightFields, path);
    }
    if (left instanceof ElementNode leftElements && right instanceof ElementNode rightElements) {
      return leftElements.mergedWith(rightElements, path);
    }
    throw new CommandException(
        ErrorCode.CONFLICTING_UPDATE_OPERATORS,
        "Update created a conflict at '" + String.join(".", path) + "'");
  }
}
