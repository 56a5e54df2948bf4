package dev.orrery.storage.structure;

import dev.orrery.storage.PartitionStore.FieldsSeen;
import dev.orrery.storage.catalog.NumberTypes;
import dev.orrery.storage.index.BTree;
import dev.orrery.storage.index.IndexKeySet;

/*
 * They are kept in the tag of the tree, which every checkpoint saves: the lower half has a bit for
 * each field that met an array, the upper half the types of numbers. The highest bit says that
 * somebody kept an eye on the types: trees of before that know nothing of them.
 */

/**
 * What the fields of an index met so far: arrays, and types of numbers. Said before the keys are in
 * the tree, and never taken back: a planner that reads it too early is careful for nothing, one
 * that reads it too late would be wrong.
 */
final class IndexNotes {
  private static final long WATCHED = Long.MIN_VALUE;
  private static final long ARRAYS = 0xFFFF_FFFFL;

  private final BTree tree;
  private volatile FieldsSeen seen;

  IndexNotes(BTree tree) {
    this.tree = tree;
    if (tree.count() == 0) {
      tree.tag(tree.tag() | WATCHED);
    }
    long tag = tree.tag();
    boolean isWatched = (tag & WATCHED) != 0;
    NumberTypes numbers =
        isWatched ? new NumberTypes((tag & ~WATCHED) >>> Integer.SIZE) : NumberTypes.UNKNOWN;
    this.seen = new FieldsSeen(tag & ARRAYS, numbers);
  }

  FieldsSeen seen() {
    return seen;
  }

  void add(IndexKeySet keys) {
    if (keys.isMultikey() || seen.numbers().with(keys.numbers()) != seen.numbers()) {
      change(keys);
    }
  }

  private synchronized void change(IndexKeySet keys) {
    long arrays = seen.multikeyFields();
    for (int i = 0; i < keys.multikeyPaths().size(); i++) {
      if (!keys.multikeyPaths().get(i).isEmpty()) {
        arrays |= 1L << i;
      }
    }
    var changed = new FieldsSeen(arrays, seen.numbers().with(keys.numbers()));
    if (!changed.equals(seen)) {
      long watched = tree.tag() & WATCHED;
      tree.tag(watched | changed.numbers().bits() << Integer.SIZE | arrays);
      seen = changed;
    }
  }
}
