package dev.orrery.server.operation;

import java.util.EnumMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Predicate;

/** How often each collection was used, for what, and how long that took. */
public final class Top {
  /** Names that do not exist are forgotten when there are so many. */
  static final int COLLECTIONS_MAX = 10_000;

  /** What a collection is used for, in the words of {@code top}. */
  public enum Use {
    QUERIES("queries", true),
    GETMORE("getmore", true),
    INSERT("insert", false),
    UPDATE("update", false),
    REMOVE("remove", false),
    READING_COMMANDS("commands", true),
    WRITING_COMMANDS("commands", false);

    private final String word;
    private final boolean isRead;

    Use(String word, boolean isRead) {
      this.word = word;
      this.isRead = isRead;
    }

    public String word() {
      return word;
    }

    public boolean isRead() {
      return isRead;
    }

    static Use of(Subject subject) {
      return switch (subject.command()) {
        case "find" -> QUERIES;
        case "getMore" -> GETMORE;
        case "insert" -> INSERT;
        case "update" -> UPDATE;
        case "delete" -> REMOVE;
        default -> subject.isRead() ? READING_COMMANDS : WRITING_COMMANDS;
      };
    }
  }

  /** Sums of one use of one collection. */
  public static final class Sum {
    private final LongAdder count = new LongAdder();
    private final LongAdder nanos = new LongAdder();
    private final LatencyHistogram histogram = new LatencyHistogram();

    private void add(long took) {
      count.increment();
      nanos.add(took);
      histogram.add(took);
    }

    public long count() {
      return count.sum();
    }

    public long nanos() {
      return nanos.sum();
    }

    public LatencyHistogram histogram() {
      return histogram;
    }
  }

  private final Map<String, Map<String, Map<Use, Sum>>> databases = new ConcurrentHashMap<>();
  private final AtomicInteger collections = new AtomicInteger();
  private final Predicate<String> exists;

  /**
   * @param exists whether there is a collection of that full name
   */
  public Top(Predicate<String> exists) {
    this.exists = exists;
  }

  void add(Subject subject, long nanos) {
    String collection = subject.collection();
    if (collection == null) {
      return;
    }
    Map<String, Map<Use, Sum>> database = databases.get(subject.database());
    Map<Use, Sum> uses = database == null ? null : database.get(collection);
    if (uses == null) {
      uses = begin(subject.database(), collection);
    }
    Sum sum = uses.get(Use.of(subject));
    sum.add(nanos);
  }

  /** The sums of one collection; none when it was never used. */
  public Map<Use, Sum> sums(String database, String collection) {
    return databases.getOrDefault(database, Map.of()).getOrDefault(collection, Map.of());
  }

  private Map<Use, Sum> begin(String database, String collection) {
    if (collections.get() >= COLLECTIONS_MAX) {
      forgetMissing();
    }
    return databases
        .computeIfAbsent(database, name -> new ConcurrentHashMap<>())
        .computeIfAbsent(
            collection,
            name -> {
              collections.incrementAndGet();
              Map<Use, Sum> sums = new EnumMap<>(Use.class);
              for (Use use : Use.values()) {
                sums.put(use, new Sum());
              }
              return sums;
            });
  }

  private void forgetMissing() {
    databases.forEach(
        (database, names) ->
            names
                .keySet()
                .removeIf(
                    name -> {
                      boolean isMissing = !exists.test(database + "." + name);
                      if (isMissing) {
                        collections.decrementAndGet();
                      }
                      return isMissing;
                    }));
  }

  /** The sums of the collections that exist, by full name. */
  public SortedMap<String, Map<Use, Sum>> sums() {
    forgetMissing();
    var sums = new TreeMap<String, Map<Use, Sum>>();
    databases.forEach(
        (database, names) -> names.forEach((name, uses) -> sums.put(database + "." + name, uses)));
    return sums;
  }
}
