package dev.orrery.server.command.advice;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.workload.WorkloadRecorder;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonBinary;
import org.bson.BsonBoolean;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.jspecify.annotations.Nullable;

/**
 * {@code recordWorkload}: starts and stops the recording of requests into a file, tells how it
 * goes, lists the files, gives them out part by part, and drops them.
 */
final class RecordWorkloadCommand implements Command {
  private static final List<String> ACTIONS =
      List.of("drop", "list", "read", "start", "status", "stop");
  private static final long BYTES_DEFAULT = 256L << 20;
  private static final long BYTES_LEAST = 64L << 10;
  private static final int PART_BYTES = 1 << 20;

  private final WorkloadRecorder recorder;

  RecordWorkloadCommand(WorkloadRecorder recorder) {
    this.recorder = recorder;
  }

  @Override
  public Spec spec() {
    return Spec.of("recordWorkload", Access.ADMIN, Trait.ADMIN_DATABASE, Trait.LONG);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    String action = body.oneOf("recordWorkload", ACTIONS, "status");
    String name = body.string("name");
    String database = body.string("database");
    boolean isHashed = body.bool("hashed", false);
    long bytesMax = body.atLeast("maxBytes", BYTES_LEAST, BYTES_DEFAULT);
    long offset = body.nonNegative("offset", 0);
    body.finish();
    try {
      return switch (action) {
        case "start" ->
            start(
                new WorkloadRecorder.Order(
                    require(name), database == null ? "" : database, isHashed, bytesMax));
        case "stop" -> status(required(recorder.stop()));
        case "read" -> read(require(name), offset);
        case "drop" -> drop(require(name));
        case "list" -> list();
        default -> status();
      };
    } catch (IOException e) {
      throw new CommandException(
          ErrorCode.OPERATION_FAILED, "the workload's file failed: " + e.getMessage());
    }
  }

  private static String require(@Nullable String name) {
    if (name == null || !WorkloadRecorder.isName(name)) {
      throw new CommandException(
          ErrorCode.BAD_VALUE,
          "recordWorkload needs a name of 1 to 64 letters, digits, '-' and '_'");
    }
    return name;
  }

  private BsonDocument start(WorkloadRecorder.Order order) throws IOException {
    WorkloadRecorder.Status started = recorder.start(order);
    if (started == null) {
      throw new CommandException(
          ErrorCode.ILLEGAL_OPERATION, "a workload is being recorded already; stop it first");
    }
    return status(started);
  }

  private static WorkloadRecorder.Status required(WorkloadRecorder.@Nullable Status status) {
    if (status == null) {
      throw new CommandException(ErrorCode.ILLEGAL_OPERATION, "no workload is being recorded");
    }
    return status;
  }

  private BsonDocument status() {
    WorkloadRecorder.Status present = recorder.status();
    var reply = new BsonDocument("recording", BsonBoolean.valueOf(present != null));
    if (present != null) {
      reply.putAll(status(present));
    }
    return reply;
  }

  private static BsonDocument status(WorkloadRecorder.Status status) {
    var reply =
        new BsonDocument("name", new BsonString(status.name()))
            .append("start", new BsonDateTime(status.header().startMillis()))
            .append("hashed", BsonBoolean.valueOf(status.header().isHashed()))
            .append("requests", new BsonInt64(status.recorded()))
            .append("leftOut", new BsonInt64(status.leftOut()))
            .append("bytes", new BsonInt64(status.bytes()))
            .append("full", BsonBoolean.valueOf(status.isFull()));
    if (status.failure() != null) {
      reply.append("failure", new BsonString(status.failure()));
    }
    return reply;
  }

  private BsonDocument read(String name, long offset) throws IOException {
    WorkloadRecorder.Status present = recorder.status();
    if (present != null && present.name().equals(name)) {
      throw new CommandException(
          ErrorCode.ILLEGAL_OPERATION, "the workload '" + name + "' is being recorded");
    }
    try {
      byte[] part = recorder.read(name, offset, PART_BYTES);
      return new BsonDocument("data", new BsonBinary(part))
          .append("last", BsonBoolean.valueOf(part.length < PART_BYTES));
    } catch (NoSuchFileException e) {
      throw missing(name);
    }
  }

  private BsonDocument drop(String name) throws IOException {
    if (!recorder.drop(name)) {
      throw missing(name);
    }
    return new BsonDocument();
  }

  private static CommandException missing(String name) {
    return new CommandException(
        ErrorCode.BAD_VALUE, "there is no workload '" + name + "' that is not being recorded");
  }

  private BsonDocument list() throws IOException {
    var names = new BsonArray();
    recorder.names().forEach(name -> names.add(new BsonString(name)));
    return new BsonDocument("workloads", names);
  }
}
