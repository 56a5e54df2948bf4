package dev.orrery.storage.partition;

import java.util.Arrays;
import java.util.function.IntConsumer;

/** A set of partition numbers, in their order; mostly it is small. Numbers need not be. */
public final class PartitionIds {
  private int[] ids = new int[1];
  private int size;

  /** Adds one; where it stands now. */
  public int add(int id) {
    int at = indexOf(id);
    if (at >= 0) {
      return at;
    }
    int place = -at - 1;
    if (size == ids.length) {
      ids = Arrays.copyOf(ids, 2 * size);
    }
    System.arraycopy(ids, place, ids, place + 1, size - place);
    ids[place] = id;
    size++;
    return place;
  }

  public boolean contains(int id) {
    return indexOf(id) >= 0;
  }

  private int indexOf(int id) {
    if (size > 0 && ids[size - 1] == id) { // partitions are asked in order, or again and again
      return size - 1;
    }
    return Arrays.binarySearch(ids, 0, size, id);
  }

  public void addAll(PartitionIds others) {
    others.forEach(this::add);
  }

  /** How many of these are not among others. */
  public int countWithout(PartitionIds others) {
    int count = 0;
    for (int i = 0; i < size; i++) {
      count += others.contains(ids[i]) ? 0 : 1;
    }
    return count;
  }

  public int size() {
    return size;
  }

  public void clear() {
    size = 0;
  }

  public void forEach(IntConsumer action) {
    for (int i = 0; i < size; i++) {
      action.accept(ids[i]);
    }
  }
}
