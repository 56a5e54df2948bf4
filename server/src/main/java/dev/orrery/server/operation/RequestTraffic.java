package dev.orrery.server.operation;

import dev.orrery.value.Namespace;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Predicate;

/**
 * What became of all requests, how long they took, and which collection they were about. Kept only
 * where somebody may ask for it. Thread-safe.
 */
public final class RequestTraffic implements OperationWatcher {
  /** Names that do not exist are forgotten when there are so many. */
  private static final int COLLECTIONS_MAX = 10_000;

  /** What a request wants, as far as its duration is concerned. */
  public enum Kind {
    READ,
    WRITE,
    COMMAND;

    static Kind of(String command) {
      return switch (command) {
        case "aggregate", "count", "distinct", "find", "getMore" -> READ;
        case "delete", "findAndModify", "insert", "update" -> WRITE;
        default -> COMMAND;
      };
    }
  }

  private final Map<Kind, Traffic> kinds = new EnumMap<>(Kind.class);
  private final Map<String, Map<String, Traffic>> databases = new ConcurrentHashMap<>();
  private final AtomicInteger collections = new AtomicInteger();
  private final Predicate<Namespace> exists;

  /**
   * @param exists whether there is such a collection
   */
  public RequestTraffic(Predicate<Namespace> exists) {
    this.exists = exists;
    for (Kind kind : Kind.values()) {
      kinds.put(kind, new Traffic());
    }
  }

  @Override
  public void ended(Operation operation, long nanos) {
    Subject subject = operation.subject();
    Outcome outcome = operation.outcome();
    kinds.get(Kind.of(subject.command())).add(outcome, nanos);
    String collection = subject.collection();
    if (collection != null) {
      find(subject.database(), collection).add(outcome, nanos);
    }
  }

  private Traffic find(String database, String collection) {
    Map<String, Traffic> names = databases.get(database);
    Traffic traffic = names == null ? null : names.get(collection);
    return traffic != null ? traffic : begin(database, collection);
  }

  private Traffic begin(String database, String collection) {
    if (collections.get() >= COLLECTIONS_MAX) {
      forgetMissing();
    }
    return databases
        .computeIfAbsent(database, name -> new ConcurrentHashMap<>())
        .computeIfAbsent(
            collection,
            name -> {
              collections.incrementAndGet();
              return new Traffic();
            });
  }

  /** Of requests that name no collection any more that exists nobody wants to know. */
  private void forgetMissing() {
    databases.forEach(
        (database, names) ->
            names
                .keySet()
                .removeIf(
                    name -> {
                      boolean isMissing = !exists.test(new Namespace(database, name));
                      if (isMissing) {
                        collections.decrementAndGet();
                      }
                      return isMissing;
                    }));
  }

  /** Of all requests of a kind. */
  public Traffic of(Kind kind) {
    return kinds.get(kind);
  }

  /** Tells each collection that was named, whether there is one or not, and its traffic. */
  public void forEach(BiConsumer<Namespace, Traffic> visitor) {
    databases.forEach(
        (database, names) ->
            names.forEach(
                (name, traffic) -> visitor.accept(new Namespace(database, name), traffic)));
  }
}
