package dev.orrery.language.aggregate.window;

import dev.orrery.language.aggregate.stage.Documents;
import dev.orrery.language.limit.Allowance;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** What the documents of a sliding window give to its function, each computed once. */
final class WindowInputs {
  private static final int ENTRY_BYTES = 16;

  private final IntFunction<@Nullable BsonValue> input;
  private final Deque<Optional<BsonValue>> values = new ArrayDeque<>();
  private int from;
  private long bytes;

  /**
   * @param input of the document at a place
   */
  WindowInputs(IntFunction<@Nullable BsonValue> input) {
    this.input = input;
  }

  /**
   * Forgets what lies before a window and adds what it has more; windows only move forward.
   *
   * @param added gets what was added, in order
   */
  void moveTo(int newFrom, int to, Consumer<@Nullable BsonValue> added) {
    while (from < newFrom && !values.isEmpty()) {
      bytes -= bytes(values.removeFirst());
      from++;
    }
    from = newFrom;
    Allowance allowance = Allowance.current();
    while (from + values.size() < to) {
      allowance.step();
      Optional<BsonValue> value = Optional.ofNullable(input.apply(from + values.size()));
      values.addLast(value);
      bytes += bytes(value);
      added.accept(value.orElse(null));
    }
  }

  private static long bytes(Optional<BsonValue> value) {
    return ENTRY_BYTES + Documents.heapBytes(value.orElse(null));
  }

  /** Those of the window, in order. */
  Iterator<Optional<BsonValue>> iterator() {
    return values.iterator();
  }

  long heapBytes() {
    return bytes;
  }
}
