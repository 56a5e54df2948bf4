package dev.orrery.server.operation;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.limit.Allowance;
import dev.orrery.language.query.Filter;
import dev.orrery.value.RawDocument;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;
import org.bson.BsonDocument;

/**
 * Writes down what requests did: the time of each for {@code top}, the slow ones in the log, those
 * that are profiled in {@code system.profile}.
 */
public final class OperationJournal {
  /** How long a filter may think about one request, while all later replies wait for it. */
  private static final long FILTER_NANOS_MAX = TimeUnit.MILLISECONDS.toNanos(50);

  /** Where the documents of a database's profile go. */
  public interface ProfileWriter {
    void write(String database, BsonDocument entry);
  }

  private final ProfileSettings settings;
  private final Top top;
  private final OperationDetails details;
  private final ProfileWriter profile;
  private final Consumer<String> slowLog;
  private final DoubleSupplier random;
  private volatile OperationWatcher watcher = OperationWatcher.NONE;

  /** What is written where. */
  public record Outputs(Top top, ProfileWriter profile, Consumer<String> slowLog) {}

  /**
   * @param random from 0 to 1, decides which requests are samples
   */
  public OperationJournal(
      ProfileSettings settings, OperationDetails details, Outputs outputs, DoubleSupplier random) {
    this.settings = settings;
    this.details = details;
    this.top = outputs.top;
    this.profile = outputs.profile;
    this.slowLog = outputs.slowLog;
    this.random = random;
  }

  /** Shows every request that ends to somebody. */
  public void watchedBy(OperationWatcher newWatcher) {
    watcher = newWatcher;
  }

  /** Counts the request; true when it is to be written down. */
  boolean ended(Operation operation, long nanos) {
    watcher.ended(operation, nanos);
    top.add(operation.subject(), nanos);
    return settings.mayMatter(nanos) && isNotable(operation, nanos);
  }

  /** Whether the settings of its own database concern the request. */
  private boolean isNotable(Operation operation, long nanos) {
    ProfileSettings.Database database = settings.database(operation.subject().database());
    return settings.isSlow(nanos) || database.level() == 2 || database.filter() != null;
  }

  /** Writes down what the request did; may wait for the disk. */
  void write(OperationListener.Ended ended) {
    Operation operation = ended.operation();
    BsonDocument reply = ended.reply();
    long nanos = ended.nanos();
    String name = operation.subject().database();
    ProfileSettings.Database database = settings.database(name);
    BsonDocument entry = null;
    boolean isNotable;
    if (database.filter() != null) {
      entry = details.profile(operation, reply, nanos);
      isNotable = matches(database.filter(), RawDocument.of(entry));
    } else {
      isNotable = settings.isSlow(nanos) && random.getAsDouble() < settings.sampleRate();
    }
    if (isNotable) {
      slowLog.accept(details.logLine(operation, reply, nanos));
    }
    if (database.level() == 2 || database.level() == 1 && isNotable) {
      profile.write(name, entry != null ? entry : details.profile(operation, reply, nanos));
    }
  }

  /** Whether a filter wants the entry; one that takes long is refused an answer. */
  private static boolean matches(Filter filter, RawDocument entry) {
    long endNanos = System.nanoTime() + FILTER_NANOS_MAX;
    var allowance =
        Allowance.of(
            () -> {
              if (System.nanoTime() - endNanos >= 0) {
                throw new CommandException(
                    ErrorCode.MAX_TIME_MS_EXPIRED,
                    "the filter of the profile took too long; set another one by {profile: -1}");
              }
            });
    return allowance.grant(() -> filter.matches(entry));
  }
}
