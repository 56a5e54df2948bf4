package dev.orrery.storage.index;

import java.util.Arrays;

/**
 * Changes a tree: inserts, removals, and the splits and merges they cause. One thread at a time.
 */
final class BTreeWriter {
  private static final int DEPTH_MAX = 64;
  private static final int UNKNOWN = -1;
  private static final int MERGE_BELOW = BTreePage.CAPACITY / 3;
  private static final int MERGED_MAX = BTreePage.CAPACITY * 3 / 4;

  private final PageFile file;
  private final BTreeOverflow overflow;
  private final BTreePage page;
  private final BTreePage other;
  private final BTreeCells cells = new BTreeCells();
  private final BTreeEntry entry = new BTreeEntry();
  private final int[] path = new int[DEPTH_MAX];
  private final int[] childIndex = new int[DEPTH_MAX];
  private int root;

  /** Where on the path the leaf of the last insert is; negative when it is not known. */
  private int leafLevel = UNKNOWN;

  BTreeWriter(PageFile file, int root) {
    this.file = file;
    this.overflow = new BTreeOverflow(file);
    this.page = new BTreePage(file, overflow);
    this.other = new BTreePage(file, overflow);
    this.root = root;
  }

  /** The page where a descent starts; 0 for a tree that never had an entry. */
  int root() {
    return root;
  }

  /** False if the entry is already there. */
  boolean insert(byte[] key, long id) {
    if (root == 0) {
      root = file.allocate();
      page.write(root).format(BTreePage.LEAF, 0, 0);
    }
    return insertInLeaf(descend(key, id), key, id);
  }

  /** The same, cheaper when the entry belongs to the leaf of the last one inserted in this way. */
  boolean insertNear(byte[] key, long id) {
    if (leafLevel == UNKNOWN || !page.read(path[leafLevel]).encloses(key, id)) {
      if (root == 0) {
        return insert(key, id);
      }
      leafLevel = descend(key, id);
    }
    return insertInLeaf(leafLevel, key, id);
  }

  /** What happened to the tree meanwhile is not known to {@link #insertNear}. */
  void forgetLeaf() {
    leafLevel = UNKNOWN;
  }

  /** The page is at the leaf at that level of the path. */
  private boolean insertInLeaf(int level, byte[] key, long id) {
    int index = page.lowerBound(key, id);
    if (page.isExact()) {
      return false;
    }
    fill(key, id, 0);
    insertAt(level, index);
    return true;
  }

  /** False if there is no such entry. */
  boolean remove(byte[] key, long id) {
    if (root == 0) {
      return false;
    }
    int level = descend(key, id);
    int index = page.lowerBound(key, id);
    if (!page.isExact()) {
      return false;
    }
    page.write(path[level]);
    freeOverflow(index);
    page.remove(index);
    if (page.usedBytes() < MERGE_BELOW) {
      mergeUp(level);
      shrinkRoot();
    }
    return true;
  }

  /** Goes to the leaf for (key, id), noting the way; returns the leaf's level. */
  private int descend(byte[] key, long id) {
    int level = 0;
    path[0] = root;
    page.read(root);
    while (!page.isLeaf()) {
      int index = page.childIndex(key, id);
      childIndex[level] = index;
      level++;
      path[level] = page.child(index);
      page.read(path[level]);
    }
    return level;
  }

  private void fill(byte[] key, long id, int child) {
    entry.set(key, id, child);
    if (key.length > BTreePage.INLINE_KEY_MAX) {
      entry.inlineLength = BTreePage.INLINE_KEY_MAX;
      entry.overflowLength = key.length;
      entry.overflowPage = overflow.write(key, BTreePage.INLINE_KEY_MAX);
    }
  }

  /** Puts the entry into the page at this level of the path, and a separator above if it splits. */
  private void insertAt(int startLevel, int startIndex) {
    int level = startLevel;
    int index = startIndex;
    int bias = 0;
    while (true) {
      page.write(path[level]);
      if (page.insert(index, entry)) {
        return;
      }
      boolean isInner = !page.isLeaf();
      cells.clear();
      cells.append(page);
      cells.insert(index, entry);
      if (cells.fits(0, cells.count(), isInner)) {
        cells.write(page, 0, cells.count());
        return;
      }
      leafLevel = UNKNOWN; // the way there is another one now
      if (isInner) {
        splitInner(bias);
      } else {
        bias = bias(index);
        splitLeaf(bias);
      }
      if (level == 0) {
        addRoot();
        return;
      }
      level--;
      index = childIndex[level];
    }
  }

  /** Whether the new entry at {@code index} continues an ordered load at either end of the tree. */
  private int bias(int index) {
    if (page.right() == 0 && index == page.count()) {
      return 1;
    }
    return page.left() == 0 && index == 0 ? -1 : 0;
  }

  /** Afterwards {@link #entry} is the separator for the page above. */
  private void splitLeaf(int bias) {
    int cut = cells.split(false, bias);
    int rightNumber = file.allocate();
    int oldRight = page.right();
    other.write(rightNumber).format(BTreePage.LEAF, page.number(), oldRight);
    cells.write(other, cut, cells.count());
    cells.write(page, 0, cut);
    page.right(rightNumber);
    byte[] after = fullKey(cut);
    long afterId = cells.entry(cut).id;
    byte[] before = fullKey(cut - 1);
    if (oldRight != 0) {
      other.write(oldRight).left(rightNumber);
    }
    int common = Arrays.mismatch(before, after);
    if (common < 0) {
      fill(after, afterId, rightNumber);
    } else {
      fill(Arrays.copyOf(after, common + 1), BTreeBound.BEFORE_ALL, rightNumber);
    }
  }

  private void splitInner(int bias) {
    int cut = cells.split(true, bias);
    int rightNumber = file.allocate();
    BTreeEntry up = cells.entry(cut);
    byte[] head = Arrays.copyOfRange(up.bytes, up.from, up.from + up.inlineLength);
    entry.set(head, up.id, rightNumber);
    entry.overflowPage = up.overflowPage;
    entry.overflowLength = up.overflowLength;
    other.write(rightNumber).format(BTreePage.INNER, up.child, 0);
    cells.write(other, cut + 1, cells.count());
    cells.write(page, 0, cut);
  }

  private void addRoot() {
    int number = file.allocate();
    page.write(number).format(BTreePage.INNER, root, 0);
    if (!page.insert(0, entry)) {
      throw new IllegalStateException("an empty page is too small");
    }
    root = number;
  }

  private byte[] fullKey(int index) {
    BTreeEntry cell = cells.entry(index);
    int length = cell.overflowPage == 0 ? cell.inlineLength : cell.overflowLength;
    byte[] key = new byte[length];
    System.arraycopy(cell.bytes, cell.from, key, 0, cell.inlineLength);
    if (cell.overflowPage != 0) {
      overflow.read(cell.overflowPage, key, cell.inlineLength, length);
    }
    return key;
  }

  /** Joins underfull pages with a neighbour under the same parent, as long as there are any. */
  private void mergeUp(int startLevel) {
    for (int level = startLevel; level > 0; level--) {
      if (page.read(path[level]).usedBytes() >= MERGE_BELOW) {
        return;
      }
      int separators = page.read(path[level - 1]).count();
      int index = childIndex[level - 1];
      boolean isMerged =
          index < separators && merge(level - 1, index) || index > 0 && merge(level - 1, index - 1);
      if (!isMerged && separators > 0) {
        return;
      }
    }
  }

  /** Joins the children on both sides of a separator, if the result leaves room for more. */
  private boolean merge(int parentLevel, int separator) {
    page.read(path[parentLevel]);
    int left = page.child(separator);
    int right = page.child(separator + 1);
    page.read(left);
    other.read(right);
    boolean isOneEmpty = page.count() == 0 || other.count() == 0;
    if (page.usedBytes() + other.usedBytes() > MERGED_MAX && !isOneEmpty) {
      return false;
    }
    boolean isInner = !page.isLeaf();
    int rightLeft = other.left();
    int rightRight = other.right();
    cells.clear();
    cells.append(page);
    if (isInner) {
      appendSeparator(path[parentLevel], separator, rightLeft);
    }
    cells.append(other.read(right));
    if (!cells.fits(0, cells.count(), isInner)) {
      return false;
    }
    cells.write(page.write(left), 0, cells.count());
    if (!isInner) {
      page.right(rightRight);
      if (rightRight != 0) {
        other.write(rightRight).left(left);
      }
    }
    file.free(right);
    page.write(path[parentLevel]);
    if (!isInner) {
      freeOverflow(separator);
    }
    page.remove(separator);
    return true;
  }

  /** The separator between two inner pages comes down when they are joined. */
  private void appendSeparator(int parent, int index, int child) {
    other.read(parent).cell(index);
    byte[] head = new byte[other.inlineLength()];
    other.copyInline(head, 0);
    entry.set(head, other.id(), child);
    entry.overflowPage = other.overflowPage();
    entry.overflowLength = entry.overflowPage == 0 ? 0 : other.overflowLength();
    cells.insert(cells.count(), entry);
  }

  private void shrinkRoot() {
    page.read(root);
    while (!page.isLeaf() && page.count() == 0) {
      int child = page.left();
      file.free(root);
      root = child;
      page.read(root);
    }
  }

  private void freeOverflow(int index) {
    page.cell(index);
    if (page.overflowPage() != 0) {
      overflow.free(page.overflowPage());
    }
  }
}
