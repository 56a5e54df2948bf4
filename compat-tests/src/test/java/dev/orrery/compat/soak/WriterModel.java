package dev.orrery.compat.soak;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeSet;

/**
 * What one client's documents must be: those whose write was acknowledged as it said, those whose
 * write was cut off as before or as it said. A value is what the document holds, null that it is
 * not there.
 */
final class WriterModel {
  private final Map<String, Integer> acknowledged = new HashMap<>();
  private final Map<String, Integer> pending = new HashMap<>();
  private final List<String> ids = new ArrayList<>();

  /** Notes what a write is about to make of a document. */
  void begin(String id, Integer value) {
    pending.put(id, value);
  }

  /** The write was answered. */
  void acknowledge() {
    pending.forEach(this::settle);
    pending.clear();
  }

  private void settle(String id, Integer value) {
    if (value == null) {
      acknowledged.remove(id);
      ids.remove(id);
    } else if (acknowledged.put(id, value) == null) {
      ids.add(id);
    }
  }

  boolean isEmpty() {
    return ids.isEmpty();
  }

  int size() {
    return ids.size();
  }

  boolean hasPending() {
    return !pending.isEmpty();
  }

  String any(Random random) {
    return ids.get(random.nextInt(ids.size()));
  }

  /**
   * Compares with all that was found, and settles what became of the write that was cut off.
   *
   * @return what is wrong; empty when nothing is
   */
  String compare(Map<String, Integer> found) {
    var all = new TreeSet<>(acknowledged.keySet());
    all.addAll(found.keySet());
    for (String id : all) {
      Integer now = found.get(id);
      boolean asAcknowledged = Objects.equals(now, acknowledged.get(id));
      boolean asPending = pending.containsKey(id) && Objects.equals(now, pending.get(id));
      if (!asAcknowledged && !asPending) {
        return "%s is %s, acknowledged was %s, under way %s"
            .formatted(id, now, acknowledged.get(id), pending.get(id));
      }
    }
    for (String id : List.copyOf(pending.keySet())) {
      settle(id, found.get(id));
    }
    pending.clear();
    return "";
  }
}
