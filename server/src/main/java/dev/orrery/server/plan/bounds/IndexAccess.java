package dev.orrery.server.plan.bounds;

import dev.orrery.storage.IndexRange;
import dev.orrery.storage.catalog.IndexField;
import dev.orrery.storage.catalog.IndexSpec;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A part of an index: for each field of its keys the values that are wanted.
 *
 * @param parts the fields of the keys; a wildcard index has two, the path and its value
 * @param bounds one for each part
 * @param multikeyFields a bit for each field in which a document ever had an array
 * @param range where the user's min and max begin and end; null when they were not given
 */
public record IndexAccess(
    IndexSpec index,
    List<Part> parts,
    List<Intervals> bounds,
    long multikeyFields,
    @Nullable IndexRange range) {

  /** One field of an index's keys. */
  public record Part(String path, IndexField.Kind kind, boolean isDescending) {
    public String firstName() {
      int dot = path.indexOf('.');
      return dot < 0 ? path : path.substring(0, dot);
    }
  }

  public IndexAccess {
    parts = List.copyOf(parts);
    bounds = List.copyOf(bounds);
  }

  public boolean isMultikey() {
    return multikeyFields != 0;
  }

  /** Whether a scan may meet a document several times. */
  public boolean mayRepeat() {
    return isMultikey()
        || (bounds.size() > index.fields().size()
            && bounds.contains(WildcardMatcher.Pairs.ALL.path()));
  }

  public boolean isMultikey(int part) {
    return (multikeyFields >> part & 1) != 0;
  }

  public boolean isWildcard() {
    return index.has(IndexField.Kind.WILDCARD);
  }

  /** Whether nothing narrows the scan. */
  public boolean isWhole() {
    return range == null && bounds.stream().allMatch(Intervals::isAll);
  }
}
