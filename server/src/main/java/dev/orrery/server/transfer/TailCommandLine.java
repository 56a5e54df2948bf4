package dev.orrery.server.transfer;

import com.mongodb.client.ChangeStreamIterable;
import com.mongodb.client.model.changestream.FullDocument;
import dev.orrery.server.transfer.source.Console;
import dev.orrery.server.transfer.source.UsageException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/** {@code orrery tail}: from a command line to the events of a change stream, one in a line. */
public final class TailCommandLine {
  public static final String NAME = "tail";

  private final Console console;
  private final Clock clock;

  public TailCommandLine(Console console, Clock clock) {
    this.console = console;
    this.clock = clock;
  }

  private static OptionTable table() {
    return new OptionTable(
            NAME,
            "Prints what is changed in a collection, a database or the whole server, one event as"
                + " JSON in each line, until it is stopped.")
        .parameter("<ns>", "db.collection, or a database. Default: the whole server")
        .text("--uri", "<uri>", "The server. Default: " + ImportCommandLine.DEFAULT_URI)
        .text(
            "--from",
            "<place>",
            "Where to begin: a time (2026-01-31T12:00:00Z, or seconds since 1970), how long ago"
                + " (15m, 2h, 1d), or a token. Default: now")
        .text(
            "--resume-file",
            "<file>",
            "Keeps the place here, and goes on from it the next time, whatever --from says.")
        .text("--match", "<json>", "Only events that match.")
        .flag("--full-document", "Updates with the document as it is now.")
        .flag("--expanded", "Also what happens to collections and indexes.")
        .text("--limit", "<n>", "Ends after so many events.");
  }

  /** Returns 0 when it was told to end or the stream did, 1 when it failed, 2 for bad options. */
  public int run(String... arguments) {
    return CommandLines.run(console, NAME, () -> runChecked(arguments));
  }

  private int runChecked(String... arguments) throws IOException {
    OptionTable.Values values = table().parse(console.out(), arguments);
    if (values == null) {
      return CommandLines.DONE;
    }
    int limit = values.number("--limit", Integer.MAX_VALUE, 1, Integer.MAX_VALUE);
    String file = values.find("--resume-file");
    var place = file == null ? null : new TailPlace(Path.of(file));
    BsonDocument kept = place == null ? null : place.read();
    String from = values.find("--from");
    TailStart start =
        kept != null ? TailStart.after(kept) : from == null ? null : TailStart.parse(from, clock);
    List<BsonDocument> pipeline = pipeline(values, start);
    String uri = values.text("--uri", ImportCommandLine.DEFAULT_URI);
    try (var server = TransferServer.connect(uri, "orrery tail")) {
      ChangeStreamIterable<BsonDocument> stream = stream(server, namespace(values), pipeline);
      if (values.has("--full-document")) {
        stream.fullDocument(FullDocument.UPDATE_LOOKUP);
      }
      stream.showExpandedEvents(values.has("--expanded"));
      if (start != null) {
        start.applyTo(stream);
      }
      new Tail(console.out(), place, limit).follow(stream);
      return CommandLines.DONE;
    }
  }

  private static @Nullable String namespace(OptionTable.Values values) {
    return values.parameters().isEmpty() ? null : values.parameters().get(0);
  }

  private static List<BsonDocument> pipeline(OptionTable.Values values, @Nullable TailStart start) {
    String match = values.find("--match");
    if (match == null) {
      return List.of();
    }
    try {
      BsonDocument filter = BsonDocument.parse(match);
      return List.of(
          new BsonDocument("$match", start == null ? filter : start.lettingThrough(filter)));
    } catch (RuntimeException e) { // the parser has many
      throw new UsageException("--match is no document: " + e.getMessage());
    }
  }

  private static ChangeStreamIterable<BsonDocument> stream(
      TransferServer server, @Nullable String namespace, List<BsonDocument> pipeline) {
    if (namespace == null) {
      return server.client().watch(pipeline, BsonDocument.class);
    }
    int dot = namespace.indexOf('.');
    if (dot < 0) {
      return server.client().getDatabase(namespace).watch(pipeline, BsonDocument.class);
    }
    return server
        .client()
        .getDatabase(namespace.substring(0, dot))
        .getCollection(namespace.substring(dot + 1))
        .watch(pipeline, BsonDocument.class);
  }
}
