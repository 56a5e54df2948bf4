package dev.orrery.server.command;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.operation.Topology;
import dev.orrery.server.store.StorageErrors;
import dev.orrery.storage.StorageException;
import dev.orrery.value.BsonTooLargeException;
import dev.orrery.value.NestingException;
import dev.orrery.wire.WireLimits;
import java.util.Set;
import java.util.function.Consumer;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What went wrong in a command, in the client's words. */
public final class CommandFailures {
  private static final Logger LOG = LoggerFactory.getLogger(CommandFailures.class);

  private static final Set<Integer> ABOUT_ROLE =
      Set.of(91, 189, 10058, 10107, 11600, 11602, 13435, 13436);

  private CommandFailures() {}

  /** MongoDB's words for documents in too many others. */
  static CommandException tooDeep() {
    return new CommandException(ErrorCode.OVERFLOW, "BSONObj exceeds maximum nested object depth");
  }

  /**
   * The answer to a request whose documents stand in too many others to be read.
   *
   * @param path the names that lead to the first of them
   */
  public static BsonDocument answerToTooDeep(String path) {
    return Replies.fail(
        new CommandException(
            ErrorCode.OVERFLOW,
            "%s in element with field name '%s' in object with unknown _id"
                .formatted(tooDeep().getMessage(), path)));
  }

  /**
   * Whether every later request may fail by the same: a class that could not be initialized, for
   * want of memory most likely, is lost to the process.
   */
  private static boolean isFatal(Throwable failure) {
    for (Throwable each = failure; each != null; each = each.getCause()) {
      if (each instanceof LinkageError
          || (each instanceof OutOfMemoryError && isInInitializer(each))) {
        return true;
      }
    }
    return false;
  }

  static void tellIfFatal(Throwable failure, Consumer<Throwable> fatal) {
    if (isFatal(failure)) {
      fatal.accept(failure);
    }
  }

  private static boolean isInInitializer(Throwable failure) {
    for (StackTraceElement frame : failure.getStackTrace()) {
      if (frame.getMethodName().equals("<clinit>")) {
        return true;
      }
    }
    return false;
  }

  /** The same; what tells that the server stops tells its new version, too. */
  static @Nullable CommandException toCommandException(Throwable failure, Topology topology) {
    CommandException error = toCommandException(failure);
    if (error == null || !isAboutRole(error.code().number())) {
      return error;
    }
    var details = new BsonDocument("topologyVersion", topology.version());
    details.putAll(error.details());
    return new CommandException(error.code(), error.getMessage(), details);
  }

  /** Whether it says that the server is no primary, or stops. */
  static boolean isAboutRole(int code) {
    return ABOUT_ROLE.contains(code);
  }

  /** The error as the client shall see it, or null when it is a mistake of ours. */
  static @Nullable CommandException toCommandException(Throwable failure) {
    if (failure instanceof CommandException error) {
      return error;
    }
    if (failure instanceof BsonTooLargeException error) {
      return new CommandException(
          ErrorCode.BSON_OBJECT_TOO_LARGE,
          "BSONObj size: %d (0x%X) is invalid. Size must be between 0 and %d(16MB)"
              .formatted(error.bytes(), error.bytes(), WireLimits.INTERNAL_DOCUMENT_BYTES_MAX));
    }
    if (failure instanceof NestingException error) {
      return new CommandException(ErrorCode.OVERFLOW, error.getMessage());
    }
    if (failure instanceof StackOverflowError) { // nothing else goes so deep
      return tooDeep();
    }
    if (failure instanceof StorageException error) {
      if (StorageErrors.isAlarming(error)) {
        LOG.warn("storage failed", error);
      }
      return StorageErrors.toCommandException(error);
    }
    if (failure instanceof OutOfMemoryError) {
      LOG.error("no memory is left for a request", failure);
      return new CommandException(
          ErrorCode.EXCEEDED_MEMORY_LIMIT, "the server has no memory left for this request");
    }
    return null;
  }
}
