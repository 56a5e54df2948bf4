package dev.orrery.server.command;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.ledger.Ledgers;
import dev.orrery.server.operation.Topology;
import dev.orrery.server.throughput.Metering;
import dev.orrery.server.throughput.RateLimit;
import dev.orrery.server.throughput.Throttling;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.PartitionStore;
import dev.orrery.storage.StorageException;
import dev.orrery.value.KeyEncoder;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawValue;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The faults that somebody ordered, by name: each strikes requests before they are run, or their
 * replies, or the server until it is ended. Each one that strikes is logged, and counted in the
 * ledgers. Thread-safe.
 */
public final class Faults implements Throttling {
  private static final Logger LOG = LoggerFactory.getLogger(Faults.class);

  /** Commands that a secondary answers only to who says that it may; MongoDB's rule. */
  private static final Set<String> READS =
      Set.of("aggregate", "count", "distinct", "find", "listCollections", "listIndexes");

  private static final Set<String> WRITES =
      Set.of(
          "abortTransaction",
          "collMod",
          "commitTransaction",
          "create",
          "createIndexes",
          "delete",
          "drop",
          "dropDatabase",
          "dropIndexes",
          "findAndModify",
          "insert",
          "renameCollection",
          "update");

  /** What faults do to the server itself, beyond a single request. May wait. */
  public interface Mishaps {
    /** Splits the widest partition of a collection; false if it has no partitions to split. */
    boolean split(String database, String collection);

    /** Merges two neighbours of a collection; false if it has only one partition, or none. */
    boolean merge(String database, String collection);

    /** Forgets a cursor that no request has now; false if there is none. */
    boolean expireCursor(long id);

    /**
     * Lets it be as if the disk were full, or no more.
     *
     * @throws CommandException where the engine has no disk of its own
     */
    void fillDisk(boolean isFull);

    /**
     * Lets the time be so far ahead for documents that expire, and deletes what has expired by
     * then.
     *
     * @return how many documents were deleted
     */
    long jump(long millis);
  }

  private final Map<String, Fault> byName = new ConcurrentSkipListMap<>();
  private final Map<Fault, Runnable> ends = new ConcurrentHashMap<>();
  private final AtomicLong activities = new AtomicLong();
  private final Workers workers;
  private final FailedCommands failed;
  private final Ledgers ledgers;
  private final Topology topology;
  private final Mishaps mishaps;
  private volatile boolean hasPlaces;

  public Faults(Workers workers, Ledgers ledgers, Topology topology, Mishaps mishaps) {
    this.workers = workers;
    this.failed = new FailedCommands(workers, topology);
    this.ledgers = ledgers;
    this.topology = topology;
    this.mishaps = mishaps;
  }

  /** Lets clients order them; to be called before the first call. */
  public Faults allowedBy(ServerParameters parameters, Metering metering) {
    parameters.allowTestCommands();
    metering.throttledBy(this);
    return this;
  }

  /** Those that fail as MongoDB's fail point says. */
  public FailedCommands failedCommands() {
    return failed;
  }

  /**
   * Orders a fault, in the place of one that has the name; may wait.
   *
   * @return what is to be told of it at once
   */
  public BsonDocument put(String name, Fault fault) {
    remove(name);
    var told = new BsonDocument();
    if (fault.kind().isLasting()) {
      begin(name, fault, told);
    }
    byName.put(name, fault);
    look();
    return told;
  }

  /** Ends a fault; null when there is none of that name. */
  public @Nullable Fault remove(String name) {
    Fault fault = byName.remove(name);
    if (fault != null) {
      end(fault);
      look();
    }
    return fault;
  }

  private void look() {
    hasPlaces = byName.values().stream().anyMatch(Fault::isOfPlace);
  }

  /** All that are ordered, by name. */
  public Map<String, Fault> all() {
    return Map.copyOf(byName);
  }

  private void begin(String name, Fault fault, BsonDocument told) {
    switch (fault.kind()) {
      case FILL_DISK -> {
        mishaps.fillDisk(true);
        ends.put(fault, () -> mishaps.fillDisk(false));
      }
      case JUMP_TIME -> {
        told.append("expired", new BsonInt64(mishaps.jump(fault.effect().millis())));
        ends.put(fault, () -> mishaps.jump(0));
      }
      case STEP_DOWN -> {
        ends.put(fault, topology.stepDown());
        workers.runLater(fault.effect().millis(), () -> end(fault));
      }
      default -> throw new IllegalStateException(fault.kind() + " does not last");
    }
    fault.strike();
    tell(name, fault, "the server");
  }

  private void end(Fault fault) {
    Runnable end = ends.remove(fault);
    if (end != null) {
      end.run();
      LOG.info("the fault {} is over", fault.kind().text());
    }
  }

  /** Lets a request go on to {@code next}, unless a fault strikes it. */
  void dispatch(
      Request request,
      Consumer<BsonDocument> replyTo,
      BiConsumer<Request, Consumer<BsonDocument>> next) {
    if (!topology.isPrimary() && refuse(request, replyTo)) {
      return;
    }
    for (Map.Entry<String, Fault> entry : byName.entrySet()) {
      Fault fault = entry.getValue();
      if (fault.strikes(request.body())) {
        tell(entry.getKey(), fault, request.commandName());
        strike(entry.getKey(), fault, request, replyTo, next);
        return;
      }
    }
    if (!failed.take(request, replyTo, next)) {
      next.accept(request, replyTo);
    }
  }

  private void tell(String name, Fault fault, String whom) {
    LOG.info("the fault {} ({}) strikes {}", name, fault.kind().text(), whom);
    ledgers.addFault(name + ": " + fault.kind().text() + " " + whom);
  }

  /** Answers as a secondary does; false for what it answers as any server. */
  private boolean refuse(Request request, Consumer<BsonDocument> replyTo) {
    String name = request.commandName();
    boolean isRead = READS.contains(name) && !mayReadSecondary(request);
    if (!isRead && !WRITES.contains(name)) {
      return false;
    }
    byName.forEach(
        (fault, ordered) -> {
          if (ordered.kind() == Fault.Kind.STEP_DOWN && ends.containsKey(ordered)) {
            ordered.strike();
            tell(fault, ordered, name);
          }
        });
    ErrorCode code =
        isRead ? ErrorCode.NOT_PRIMARY_NO_SECONDARY_OK : ErrorCode.NOT_WRITABLE_PRIMARY;
    String words = isRead ? "not primary and secondaryOk=false" : "not primary";
    replyTo.accept(failed.refusal(request, words, new Fault.Effect(0, code.number(), null, null)));
    return true;
  }

  private static boolean mayReadSecondary(Request request) {
    RawValue preference = request.body().field("$readPreference");
    if (preference == null || !preference.isDocument()) {
      return false;
    }
    return !Fault.text(preference.asDocument().field("mode")).equals("primary");
  }

  private void strike(
      String name,
      Fault fault,
      Request request,
      Consumer<BsonDocument> replyTo,
      BiConsumer<Request, Consumer<BsonDocument>> next) {
    Fault.Effect effect = fault.effect();
    switch (fault.kind()) {
      case CLOSE_AFTER -> next.accept(request, reply -> request.connection().hangUp());
      case CLOSE_BEFORE -> request.connection().hangUp();
      case DELAY -> workers.runLater(effect.millis(), () -> next.accept(request, replyTo));
      case EXPIRE_CURSOR -> {
        expireCursor(request);
        next.accept(request, replyTo);
      }
      case FAIL -> {
        String words = effect.message() == null ? "the fault " + name : effect.message();
        replyTo.accept(failed.refusal(request, words, effect));
      }
      case MERGE, SPLIT ->
          workers.runLater(
              0,
              () -> {
                reshape(name, fault, request);
                next.accept(request, replyTo);
              });
      case THROTTLE -> {
        CommandException refusal =
            RateLimit.ofCommand(effect.millis(), activities.incrementAndGet());
        replyTo.accept(Replies.fail(refusal));
      }
      default -> throw new IllegalStateException(fault.kind() + " strikes no request");
    }
  }

  private void expireCursor(Request request) {
    RawValue id = request.body().field("getMore");
    if (id != null && id.isNumber()) {
      mishaps.expireCursor(RawNumbers.toLong(id));
    }
  }

  /** What comes of it stands in the log and the summary; the request goes on in any case. */
  private void reshape(String name, Fault fault, Request request) {
    String kind = fault.kind().text();
    try {
      String database = Fault.text(request.body().field("$db"));
      String collection = Fault.text(request.body().field(request.commandName()));
      boolean isDone =
          fault.kind() == Fault.Kind.SPLIT
              ? mishaps.split(database, collection)
              : mishaps.merge(database, collection);
      if (!isDone) {
        LOG.info("the fault {} finds nothing to {}", name, kind);
        ledgers.addFault(name + ": nothing to " + kind);
      }
    } catch (StorageException | CommandException e) {
      LOG.warn("the fault {} could not {} {}", name, kind, request.commandName(), e);
      ledgers.addFault(name + ": could not " + kind + ": " + e.getMessage());
    }
  }

  @Override
  public boolean isOn() {
    return hasPlaces;
  }

  @Override
  public long millisToWait(
      CollectionStore collection, List<PartitionStore> asked, @Nullable RawValue key) {
    Namespace namespace = collection.info().namespace();
    byte[] encoded = key == null ? null : KeyEncoder.encode(key);
    Set<Integer> ids = asked.stream().map(PartitionStore::id).collect(Collectors.toSet());
    for (Map.Entry<String, Fault> entry : byName.entrySet()) {
      Fault fault = entry.getValue();
      if (fault.strikes(namespace.database(), namespace.collection(), ids, encoded)) {
        tell(entry.getKey(), fault, namespace.toString());
        return Math.max(1, fault.effect().millis());
      }
    }
    return 0;
  }
}
