package dev.orrery.server;

import dev.orrery.server.store.QueryHooks;
import dev.orrery.server.transfer.export.SalvageDump;
import dev.orrery.storage.PrivateFiles;
import dev.orrery.storage.StorageException;
import dev.orrery.storage.recovery.StoreSalvage;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * {@code orrery salvage --data DIR --out DIR2}: copies out of a damaged store what can be read, as
 * a dump that {@code orrery import} and mongorestore take, and lists what can't.
 */
final class SalvageCommandLine {
  static final String NAME = "salvage";
  static final String REPORT = "salvage-report.txt";

  private static final String OUT = "--out";

  private final PrintStream out;
  private final PrintStream err;

  SalvageCommandLine(PrintStream out, PrintStream err) {
    this.out = out;
    this.err = err;
  }

  /** Returns 0 when everything could be read, 1 when something is lost or nothing could be done. */
  int run(String... arguments) throws IOException {
    var line =
        new DataCommandLine(
                NAME,
                "Copies every document that can still be read out of a damaged store, and lists"
                    + " what can't. Nothing in the store is changed. No server may have it open.",
                null)
            .withDirectory(OUT, "Where the dump goes: a directory that is new or empty.");
    DataCommandLine.Given given = line.parse(out, arguments);
    if (given == null) {
      return Main.STARTED;
    }
    System.setProperty("chronicle.announcer.disable", "true");
    Path target = given.path(OUT).toAbsolutePath().normalize();
    requireStore(given.data());
    requirePlace(given.data(), target);
    try (var lock = DataDirectory.lockWithoutWriting(given.data())) {
      return salvage(lock.path(), target);
    } catch (StorageException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  private static void requireStore(Path data) throws IOException {
    if (!Files.isDirectory(data.resolve("log"))) {
      throw new IOException(data + " holds no store: there is no " + data.resolve("log"));
    }
  }

  private static void requirePlace(Path data, Path target) throws IOException {
    if (target.startsWith(data.toRealPath()) || target.startsWith(data.toAbsolutePath())) {
      throw new IOException(target + " is inside the data directory, which stays as it is");
    }
    if (Files.exists(target)) {
      if (!Files.isDirectory(target)) {
        throw new IOException(target + " is a file");
      }
      try (Stream<Path> entries = Files.list(target)) {
        if (entries.findAny().isPresent()) {
          throw new IOException(target + " is not empty");
        }
      }
    }
  }

  private int salvage(Path data, Path target) throws IOException {
    PrivateFiles.createDirectories(target); // it gets what all users together could read
    var salvage = new StoreSalvage(data, target.resolve(".scratch"), new QueryHooks());
    StoreSalvage.Report report = salvage.run(new SalvageDump(target));
    List<String> lines = lines(report);
    lines.forEach(out::println);
    report.losses().forEach(err::println);
    writeReport(target.resolve(REPORT), lines, report.losses());
    return report.isComplete() ? Main.STARTED : Main.FAILED;
  }

  private static List<String> lines(StoreSalvage.Report report) {
    var lines = new ArrayList<String>();
    long documents = 0;
    for (StoreSalvage.Outcome one : report.collections()) {
      var line = new StringBuilder(one.name() + ": " + one.written() + " documents");
      if (one.older() > 0) {
        line.append(", ").append(one.older()).append(" of them in an older version");
      }
      if (one.lost() > 0) {
        line.append(", ").append(one.lost()).append(" lost");
      }
      lines.add(line.toString());
      documents += one.written();
    }
    lines.addAll(report.notes());
    int losses = report.losses().size();
    lines.add(
        documents
            + " documents copied; "
            + (losses == 0 ? "everything could be read." : losses + " places could not be read."));
    return lines;
  }

  private static void writeReport(Path file, List<String> lines, List<String> losses)
      throws IOException {
    var text = new StringBuilder();
    lines.forEach(line -> text.append(line).append('\n'));
    losses.forEach(loss -> text.append("unreadable: ").append(loss).append('\n'));
    try (FileChannel channel = PrivateFiles.create(file)) {
      ByteBuffer bytes = StandardCharsets.UTF_8.encode(text.toString());
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
    }
  }
}
