package dev.orrery.server.command.diagnostic;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.FieldErrors;
import dev.orrery.server.operation.Operation;
import dev.orrery.server.operation.Topology;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.bson.BsonDocument;
import org.bson.types.ObjectId;
import org.jspecify.annotations.Nullable;

/**
 * How long a hello waits: until what the client knows of the server is out of date, or its time is
 * over. A timer of the connection's event loop waits, and no thread.
 *
 * @param process the server that the client knows; null when it wants an answer at once
 */
record HelloWait(@Nullable ObjectId process, long counter, long millis) {
  private static final HelloWait NONE = new HelloWait(null, 0, 0);

  /** Reads {@code topologyVersion} and {@code maxAwaitTimeMS}: both, or none. */
  static HelloWait parse(CommandReader body) {
    RawDocument version = body.rawDocument("topologyVersion");
    boolean hasTime = body.has("maxAwaitTimeMS");
    long millis = body.nonNegative("maxAwaitTimeMS", 0);
    if (version == null && !hasTime) {
      return NONE;
    }
    HelloWait wait = version == null ? NONE : version(body, version, millis);
    if (version == null || !hasTime) {
      throw new CommandException(
          ErrorCode.LOCATION_31368,
          version == null
              ? "A request with 'maxAwaitTimeMS' must include a 'topologyVersion'"
              : "A request with a 'topologyVersion' must include 'maxAwaitTimeMS'");
    }
    if (wait.counter < 0) {
      throw new CommandException(
          ErrorCode.LOCATION_31372, "topologyVersion must have a non-negative counter");
    }
    return wait;
  }

  private static HelloWait version(CommandReader body, RawDocument version, long millis) {
    String path = body.path() + ".topologyVersion";
    var reader = CommandReader.of(path, version);
    RawValue process = reader.value("processId");
    if (process == null) {
      throw FieldErrors.missing(path + ".processId");
    }
    if (process.type() != RawTypes.OBJECT_ID) {
      throw FieldErrors.wrongType(path + ".processId", process.type(), "objectId");
    }
    var id = process.toBsonValue().asObjectId().getValue();
    var wait = new HelloWait(id, reader.requireExactInt64("counter"), millis);
    reader.finish();
    return wait;
  }

  /** Gives the answer when it is time for it. */
  CompletionStage<BsonDocument> then(
      CommandContext context, Topology topology, Supplier<BsonDocument> answer) {
    if (process == null || !process.equals(topology.process())) {
      return CompletableFuture.completedFuture(answer.get());
    }
    long current = topology.counter();
    if (counter > current) {
      throw new CommandException(
          ErrorCode.LOCATION_31382,
          ("Received a topology version with counter: %d which is greater than the server"
                  + " topology version counter: %d")
              .formatted(counter, current));
    }
    if (counter < current || millis == 0) {
      return CompletableFuture.completedFuture(answer.get());
    }
    return await(context, topology).thenApply(done -> answer.get());
  }

  private CompletableFuture<Void> await(CommandContext context, Topology topology) {
    Operation operation = context.operation();
    long start = System.nanoTime();
    CompletableFuture<Void> next = topology.after(counter);
    Future<?> timer = context.connection().after(millis, () -> next.complete(null));
    if (timer == null) {
      next.complete(null); // nobody would end it
    } else {
      next.whenComplete((done, failure) -> timer.cancel(false));
    }
    operation.onKill(() -> next.complete(null));
    return next.thenRun(
        () -> {
          operation.willWait(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start));
          operation.check();
          if (topology.isOver()) {
            throw new CommandException(
                ErrorCode.SHUTDOWN_IN_PROGRESS, "The server is in quiesce mode and will shut down");
          }
        });
  }
}
