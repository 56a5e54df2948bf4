package dev.orrery.server.plan;

import dev.orrery.language.query.SortPattern;
import dev.orrery.server.plan.bounds.IndexAccess;
import dev.orrery.storage.catalog.IndexField;
import java.util.List;

/*
 * An index gives the order of a sort if the sort's fields come in the index one after the other,
 * all in the index's direction or all against it. Fields with one value only (a = 5) may stand
 * anywhere between. Of a document with an array, the scan meets the least key first (against the
 * order: the greatest), and that is what the document sorts by; but only if no bounds hide keys.
 */

/** Whether a scan of an index gives its entries in the order of a sort, and in which direction. */
enum SortMatch {
  NONE,
  FORWARD,
  REVERSE;

  static SortMatch of(IndexAccess access, SortPattern sort) {
    List<IndexAccess.Part> parts = access.parts();
    SortMatch direction = null;
    int next = 0;
    for (SortPattern.Part wanted : sort.parts()) {
      if (wanted.path() == null) {
        return NONE;
      }
      String path = wanted.path().dotted();
      if (isFixed(access, path)) {
        continue;
      }
      while (next < parts.size() && isFixed(access, next) && !parts.get(next).path().equals(path)) {
        next++;
      }
      if (next == parts.size() || !givesOrder(access, next, path)) {
        return NONE;
      }
      SortMatch one = parts.get(next).isDescending() == wanted.isDescending() ? FORWARD : REVERSE;
      if (direction != null && direction != one) {
        return NONE;
      }
      direction = one;
      next++;
    }
    return direction == null ? FORWARD : direction;
  }

  private static boolean isFixed(IndexAccess access, String path) {
    for (int i = 0; i < access.parts().size(); i++) {
      if (access.parts().get(i).path().equals(path)) {
        return isFixed(access, i) && !access.isMultikey(i);
      }
    }
    return false;
  }

  /** Whether the field has one value in the whole scan. */
  private static boolean isFixed(IndexAccess access, int part) {
    return access.bounds().get(part).isPoint()
        && access.parts().get(part).kind() == IndexField.Kind.ORDERED;
  }

  private static boolean givesOrder(IndexAccess access, int part, String path) {
    IndexAccess.Part field = access.parts().get(part);
    if (!field.path().equals(path) || field.kind() != IndexField.Kind.ORDERED) {
      return false;
    }
    if (!access.isMultikey(part)) {
      return true;
    }
    for (int i = 0; i < access.parts().size(); i++) {
      boolean mayShareArray = access.parts().get(i).firstName().equals(field.firstName());
      if (mayShareArray && access.isMultikey(i) && !access.bounds().get(i).isAll()) {
        return false;
      }
    }
    // A sparse index has no key for an element without the field, although it sorts as null.
    return access.range() == null && !access.index().isSparse();
  }
}
