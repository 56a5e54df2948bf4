package dev.orrery.server.workload;

import dev.orrery.server.operation.Operation;
import dev.orrery.server.operation.Subject;
import dev.orrery.storage.PrivateFiles;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawValue;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The workloads of a server: one that is being recorded, and the files of earlier ones, by their
 * names. Costs nothing while none is recorded. Thread-safe.
 */
public final class WorkloadRecorder implements RequestObserver, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(WorkloadRecorder.class);

  private static final String ENDING = ".workload";
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-]{1,64}");
  private static final int KEY_BYTES = 32;

  /** Requests for documents; all else has no partition key. */
  private static final Set<String> RECORDED =
      Set.of(
          "abortTransaction",
          "aggregate",
          "commitTransaction",
          "count",
          "delete",
          "distinct",
          "find",
          "findAndModify",
          "getMore",
          "insert",
          "update");

  private static final Set<String> ENDS = Set.of("abortTransaction", "commitTransaction");
  private static final Set<String> OWN_DATABASES = Set.of("admin", "config", "local");

  private final Path directory;
  private final Clock clock;
  private final LongSupplier nanoClock;
  private volatile @Nullable Recording active;

  /**
   * What a recording came to.
   *
   * @param recorded how many requests are in the file
   * @param leftOut how many more there should be: they came too fast, or when it was full
   * @param failure why it could not go on; null when it could
   */
  public record Status(
      String name,
      WorkloadHeader header,
      long recorded,
      long leftOut,
      long bytes,
      boolean isFull,
      @Nullable String failure) {}

  /** What shall be recorded; an empty database stands for all. */
  public record Order(String name, String database, boolean isHashed, long bytesMax) {}

  /**
   * @param nanoClock that of the requests
   */
  public WorkloadRecorder(Path directory, Clock clock, LongSupplier nanoClock) {
    this.directory = directory;
    this.clock = clock;
    this.nanoClock = nanoClock;
  }

  /** Whether files may have that name. */
  public static boolean isName(String name) {
    return NAME.matcher(name).matches();
  }

  /** Begins; null when a recording goes on already. One of the same name is replaced. */
  public synchronized @Nullable Status start(Order order) throws IOException {
    if (active != null) {
      return null;
    }
    PrivateFiles.createDirectories(directory);
    Path path = path(order.name);
    Files.deleteIfExists(path);
    FileChannel file = PrivateFiles.create(path);
    try {
      var started =
          new Recording(
              new Recording.Settings(order.name, order.database, order.isHashed, order.bytesMax),
              new WorkloadHeader(clock.millis(), order.isHashed),
              Channels.newOutputStream(file),
              order.isHashed ? new ValueHashes(newKey()) : null,
              nanoClock.getAsLong());
      active = started;
      return status(started);
    } catch (IOException | RuntimeException e) {
      file.close();
      throw e;
    }
  }

  private static byte[] newKey() {
    byte[] key = new byte[KEY_BYTES];
    new SecureRandom().nextBytes(key);
    return key;
  }

  /** Ends the recording; null when there is none. */
  public synchronized @Nullable Status stop() throws IOException {
    Recording ended = active;
    if (ended == null) {
      return null;
    }
    active = null;
    ended.close();
    return status(ended);
  }

  /** The recording that goes on; null when there is none. */
  public @Nullable Status status() {
    Recording present = active;
    return present == null ? null : status(present);
  }

  private static Status status(Recording recording) {
    return new Status(
        recording.settings().name(),
        recording.header(),
        recording.recorded(),
        recording.leftOut(),
        recording.bytes(),
        recording.isFull(),
        recording.failure());
  }

  /** The names of all files. */
  public List<String> names() throws IOException {
    if (!Files.isDirectory(directory)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(directory)) {
      var names = new ArrayList<String>();
      files
          .map(path -> path.getFileName().toString())
          .filter(name -> name.endsWith(ENDING))
          .sorted()
          .forEach(name -> names.add(name.substring(0, name.length() - ENDING.length())));
      return names;
    }
  }

  /** Where the file of that name is, or would be. */
  public Path path(String name) {
    if (!isName(name)) {
      throw new IllegalArgumentException("no name of a workload: " + name);
    }
    return directory.resolve(name + ENDING);
  }

  /** A part of a file; shorter than asked for at its end. */
  public byte[] read(String name, long offset, int length) throws IOException {
    try (FileChannel file = FileChannel.open(path(name))) {
      var part = ByteBuffer.allocate((int) Math.max(0, Math.min(length, file.size() - offset)));
      while (part.hasRemaining() && file.read(part, offset + part.position()) >= 0) {
        // goes on until it is full, or the file ends
      }
      byte[] bytes = new byte[part.position()];
      part.flip().get(bytes);
      return bytes;
    }
  }

  /** Removes a file; false when there is none, or it is being written. */
  public synchronized boolean drop(String name) throws IOException {
    Recording present = active;
    boolean isWritten = present != null && present.settings().name().equals(name);
    return !isWritten && Files.deleteIfExists(path(name));
  }

  @Override
  public void ended(
      Operation operation, Supplier<Map<String, List<RawDocument>>> beside, long nanos) {
    Recording present = active;
    if (present == null) {
      return;
    }
    Subject subject = operation.subject();
    if (!present.wants(subject.database()) && !ENDS.contains(subject.command())
        || !isRecorded(subject)) {
      return;
    }
    present.add(
        new Recording.Waiting(
            new RecordedRequest.Origin(
                present.micros(operation.work().startNanos()),
                operation.client().id(),
                transaction(subject)),
            new RecordedRequest.Target(
                subject.database(),
                subject.collection() == null ? "" : subject.collection(),
                subject.command()),
            outcome(operation, nanos),
            subject.body(),
            beside.get()));
  }

  private static boolean isRecorded(Subject subject) {
    if (!RECORDED.contains(subject.command())) {
      return false;
    }
    if (ENDS.contains(subject.command())) {
      return true;
    }
    String collection = subject.collection();
    return collection != null
        && !collection.startsWith("system.")
        && !OWN_DATABASES.contains(subject.database());
  }

  private static RecordedRequest.Outcome outcome(Operation operation, long nanos) {
    return new RecordedRequest.Outcome(
        operation.work().charge().twentyFirsts(),
        nanos / 1000,
        operation.bytesExamined(),
        operation.work().documentsReturned(),
        operation.partitionsVisited(),
        operation.work().refusals(),
        operation.failure() == null ? 0 : operation.failure().number(),
        operation.plan() == null ? "" : operation.plan().summary());
  }

  /** The same number for all requests of one transaction, and another one for any other. */
  private static long transaction(Subject subject) {
    RawValue number = subject.body().field("txnNumber");
    boolean isPart = subject.body().field("autocommit") != null && number != null;
    if (!isPart || subject.session() == null || !number.isNumber()) {
      return 0;
    }
    long own = number.toBsonValue().asNumber().longValue();
    return (subject.session().hashCode() * 31L + own) & Long.MAX_VALUE | 1;
  }

  /** Ends the recording that goes on; what could be written stays. */
  @Override
  public void close() {
    try {
      stop();
    } catch (IOException e) {
      LOG.error("the recording of a workload could not be ended well", e);
    }
  }
}
