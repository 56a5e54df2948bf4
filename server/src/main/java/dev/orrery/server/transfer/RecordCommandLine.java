package dev.orrery.server.transfer;

import com.mongodb.client.MongoDatabase;
import dev.orrery.server.transfer.source.Console;
import dev.orrery.server.transfer.source.TransferException;
import dev.orrery.server.transfer.source.UsageException;
import dev.orrery.storage.PrivateFiles;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonString;

/**
 * {@code orrery record}: lets a server record its workload for a while, fetches the file, and
 * leaves nothing of it there.
 */
public final class RecordCommandLine {
  public static final String NAME = "record";
  private static final int SECONDS_MAX = 31 * 24 * 3600;
  private static final int MEGABYTES = 256;
  private static final String COMMAND = "recordWorkload";

  private final Console console;

  public RecordCommandLine(Console console) {
    this.console = console;
  }

  private static OptionTable table() {
    return new OptionTable(
            NAME,
            "Records the requests that a server gets, with their values, prices and times, into a"
                + " file for orrery advise and orrery replay.")
        .parameter("<file>", "Where to write it.")
        .text("--uri", "<uri>", "The server, an Orrery. Default: " + ImportCommandLine.DEFAULT_URI)
        .text(
            "--seconds",
            "<n>",
            "How long to record. Default: until Enter is pressed, or the input ends")
        .text("-d --db", "<database>", "Only requests to this database. Default: to all")
        .text("--max-mb", "<n>", "How long the file may become. Default: " + MEGABYTES)
        .flag("--hash", "Replaces all values by hashes, so that the file may be given away.");
  }

  /** Returns 0 when the file is there, 1 when it failed, 2 for bad options. */
  public int run(String... arguments) {
    return CommandLines.run(console, NAME, () -> runChecked(arguments));
  }

  private int runChecked(String... arguments) throws IOException {
    OptionTable.Values values = table().parse(console.out(), arguments);
    if (values == null) {
      return CommandLines.DONE;
    }
    if (values.parameters().isEmpty()) {
      throw new UsageException("say which file to write");
    }
    Path file = Path.of(values.parameters().get(0));
    int seconds = values.number("--seconds", 0, 1, SECONDS_MAX);
    String name = "record-" + ProcessHandle.current().pid();
    BsonDocument start =
        action("start", name)
            .append("hashed", BsonBoolean.valueOf(values.has("--hash")))
            .append("maxBytes", new BsonInt64(bytes(values)));
    String database = values.find("--db");
    if (database != null) {
      start.append("database", new BsonString(database));
    }
    String uri = values.text("--uri", ImportCommandLine.DEFAULT_URI);
    try (var server = TransferServer.connect(uri, "orrery record")) {
      MongoDatabase admin = server.client().getDatabase("admin");
      admin.runCommand(start, BsonDocument.class);
      BsonDocument status;
      try {
        await(seconds);
      } finally {
        status =
            admin.runCommand(new BsonDocument(COMMAND, new BsonString("stop")), BsonDocument.class);
      }
      fetch(admin, name, file);
      admin.runCommand(action("drop", name), BsonDocument.class);
      tell(status, file);
    }
    return CommandLines.DONE;
  }

  private static BsonDocument action(String action, String name) {
    return new BsonDocument(COMMAND, new BsonString(action)).append("name", new BsonString(name));
  }

  private static long bytes(OptionTable.Values values) {
    return (long) values.number("--max-mb", MEGABYTES, 1, 1 << 20) << 20;
  }

  /** Until the time is up; if there is none, until somebody presses Enter. */
  private void await(int seconds) throws IOException {
    if (seconds > 0) {
      try {
        TimeUnit.SECONDS.sleep(seconds);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new TransferException("interrupted", e);
      }
      return;
    }
    console.err().println("Recording; press Enter to end it.");
    for (int next = console.in().read(); next >= 0 && next != '\n'; ) {
      next = console.in().read();
    }
  }

  private static void fetch(MongoDatabase admin, String name, Path file) throws IOException {
    Files.deleteIfExists(file);
    try (OutputStream out = Channels.newOutputStream(PrivateFiles.create(file))) {
      long offset = 0;
      boolean isLast = false;
      while (!isLast) {
        BsonDocument part =
            admin.runCommand(
                action("read", name).append("offset", new BsonInt64(offset)), BsonDocument.class);
        byte[] bytes = part.getBinary("data").getData();
        out.write(bytes);
        offset += bytes.length;
        isLast = part.getBoolean("last").getValue();
      }
    }
  }

  private void tell(BsonDocument status, Path file) {
    long leftOut = status.getInt64("leftOut").getValue();
    console
        .out()
        .printf(
            "%,d requests in %s (%,d bytes)%n",
            status.getInt64("requests").getValue(), file, status.getInt64("bytes").getValue());
    if (leftOut > 0) {
      console
          .err()
          .printf(
              "%,d requests are not in it: %s%n",
              leftOut,
              status.getBoolean("full").getValue()
                  ? "the file was full (--max-mb)"
                  : "they came too fast");
    }
  }
}
