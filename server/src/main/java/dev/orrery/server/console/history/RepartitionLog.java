package dev.orrery.server.console.history;

import dev.orrery.storage.StorageObserver.Repartition;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.time.Clock;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.UUID;

/** When partitions were split and merged, the last thousand times. Thread-safe. */
public final class RepartitionLog {
  private static final int EVENTS_MAX = 1_000;

  private final Deque<Event> events = new ArrayDeque<>();
  private final Clock clock;

  public RepartitionLog(Clock clock) {
    this.clock = clock;
  }

  /** Partitions that others took the place of. */
  public record Event(
      long epochMillis, UUID collection, List<Integer> before, List<Integer> after, long millis) {}

  public synchronized void add(Repartition change) {
    keep(
        new Event(
            clock.millis(),
            change.collection(),
            change.before(),
            change.after(),
            change.nanos() / 1_000_000));
  }

  private void keep(Event event) {
    events.addLast(event);
    if (events.size() > EVENTS_MAX) {
      events.removeFirst();
    }
  }

  /** Those of a collection, the oldest first. */
  public synchronized List<Event> of(UUID collection) {
    return events.stream().filter(event -> event.collection.equals(collection)).toList();
  }

  synchronized void write(DataOutput out) throws IOException {
    out.writeInt(events.size());
    for (Event event : events) {
      out.writeLong(event.epochMillis);
      out.writeLong(event.collection.getMostSignificantBits());
      out.writeLong(event.collection.getLeastSignificantBits());
      write(out, event.before);
      write(out, event.after);
      out.writeLong(event.millis);
    }
  }

  private static void write(DataOutput out, List<Integer> numbers) throws IOException {
    out.writeInt(numbers.size());
    for (int number : numbers) {
      out.writeInt(number);
    }
  }

  synchronized void read(DataInput in) throws IOException {
    int count = in.readInt();
    for (int i = 0; i < count; i++) {
      keep(
          new Event(
              in.readLong(),
              new UUID(in.readLong(), in.readLong()),
              numbers(in),
              numbers(in),
              in.readLong()));
    }
  }

  private static List<Integer> numbers(DataInput in) throws IOException {
    var numbers = new ArrayList<Integer>();
    int count = in.readInt();
    for (int i = 0; i < count; i++) {
      numbers.add(in.readInt());
    }
    return List.copyOf(numbers);
  }
}
