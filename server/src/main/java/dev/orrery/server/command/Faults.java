package dev.orrery.server.command;

import dev.orrery.language.error.CommandException;
import dev.orrery.server.ledger.Ledgers;
import dev.orrery.server.operation.Topology;
import dev.orrery.server.throughput.RateLimit;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The faults that somebody ordered, by name: each strikes requests before they are run, or their
 * replies. Each one that strikes is logged, and counted in the ledgers. Thread-safe.
 */
public final class Faults {
  private static final Logger LOG = LoggerFactory.getLogger(Faults.class);

  private final Map<String, Fault> byName = new ConcurrentSkipListMap<>();
  private final AtomicLong activities = new AtomicLong();
  private final Workers workers;
  private final FailedCommands failed;
  private final Ledgers ledgers;

  public Faults(Workers workers, Ledgers ledgers, Topology topology) {
    this.workers = workers;
    this.failed = new FailedCommands(workers, topology);
    this.ledgers = ledgers;
  }

  /** Null where nobody may order any. */
  public static @Nullable Faults ifAllowed(
      boolean hasTestCommands,
      ServerParameters parameters,
      Workers workers,
      Ledgers ledgers,
      Topology topology) {
    if (!hasTestCommands) {
      return null;
    }
    parameters.allowTestCommands();
    return new Faults(workers, ledgers, topology);
  }

  /** Those that fail as MongoDB's fail point says. */
  public FailedCommands failedCommands() {
    return failed;
  }

  /** Orders a fault, in the place of one that has the name. */
  public void put(String name, Fault fault) {
    byName.put(name, fault);
  }

  /** Ends a fault; null when there is none of that name. */
  public @Nullable Fault remove(String name) {
    return byName.remove(name);
  }

  /** All that are ordered, by name. */
  public Map<String, Fault> all() {
    return Map.copyOf(byName);
  }

  /** Lets a request go on to {@code next}, unless a fault strikes it. */
  void dispatch(
      Request request,
      Consumer<BsonDocument> replyTo,
      BiConsumer<Request, Consumer<BsonDocument>> next) {
    for (Map.Entry<String, Fault> entry : byName.entrySet()) {
      Fault fault = entry.getValue();
      if (fault.strikes(request.body())) {
        tell(entry.getKey(), fault, request);
        strike(fault, request, replyTo, next);
        return;
      }
    }
    if (!failed.take(request, replyTo, next)) {
      next.accept(request, replyTo);
    }
  }

  private void tell(String name, Fault fault, Request request) {
    LOG.info("the fault {} ({}) strikes {}", name, fault.kind().text(), request.commandName());
    ledgers.addFault(name + ": " + fault.kind().text() + " " + request.commandName());
  }

  private void strike(
      Fault fault,
      Request request,
      Consumer<BsonDocument> replyTo,
      BiConsumer<Request, Consumer<BsonDocument>> next) {
    switch (fault.kind()) {
      case CLOSE_AFTER -> next.accept(request, reply -> request.connection().hangUp());
      case CLOSE_BEFORE -> request.connection().hangUp();
      case DELAY -> workers.runLater(fault.millis(), () -> next.accept(request, replyTo));
      case THROTTLE -> {
        CommandException refusal =
            RateLimit.ofCommand(fault.millis(), activities.incrementAndGet());
        replyTo.accept(Replies.fail(refusal));
      }
    }
  }
}
