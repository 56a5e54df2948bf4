package dev.orrery.storage.physical;

import dev.orrery.storage.index.BTree;
import dev.orrery.storage.index.BTreeEntries;
import java.util.ArrayList;
import java.util.List;

/**
 * The new entries of one batch, gathered tree by tree: a tree takes many at once in its own order,
 * for much less than one by one.
 */
public final class TreeInserts {
  private final List<BTree> trees = new ArrayList<>();
  private final List<BTreeEntries> entries = new ArrayList<>();
  private final int expected;

  /**
   * @param expected about how many entries each tree gets
   */
  public TreeInserts(int expected) {
    this.expected = expected;
  }

  void add(BTree tree, byte[] key, long recordId) {
    entriesOf(tree).add(key, recordId);
  }

  private BTreeEntries entriesOf(BTree tree) {
    for (int i = 0; i < trees.size(); i++) { // few: the indexes of the partitions of a batch
      if (trees.get(i) == tree) {
        return entries.get(i);
      }
    }
    trees.add(tree);
    entries.add(new BTreeEntries(expected));
    return entries.get(entries.size() - 1);
  }

  public void apply() {
    for (int i = 0; i < trees.size(); i++) {
      trees.get(i).insertAll(entries.get(i));
    }
  }
}
