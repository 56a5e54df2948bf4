package dev.orrery.server.transfer;

import com.mongodb.client.MongoCursor;
import dev.orrery.server.advisor.AdviceMarkdown;
import dev.orrery.server.advisor.AdviceReport;
import dev.orrery.server.advisor.Advisor;
import dev.orrery.server.advisor.AdvisorSettings;
import dev.orrery.server.advisor.Growth;
import dev.orrery.server.advisor.KeyAdvice;
import dev.orrery.server.advisor.Prices;
import dev.orrery.server.transfer.source.BadRecordException;
import dev.orrery.server.transfer.source.Console;
import dev.orrery.server.transfer.source.CsvFormat;
import dev.orrery.server.transfer.source.NamespaceRules;
import dev.orrery.server.transfer.source.Source;
import dev.orrery.server.transfer.source.SourceCollection;
import dev.orrery.server.transfer.source.SourceOpener;
import dev.orrery.server.transfer.source.SourceRecord;
import dev.orrery.server.transfer.source.UsageException;
import dev.orrery.server.workload.RecordedRequest;
import dev.orrery.server.workload.WorkloadReader;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawDocument;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;
import org.bson.RawBsonDocument;
import org.bson.json.JsonMode;
import org.bson.json.JsonWriterSettings;

/**
 * {@code orrery advise}: from documents (a dump, a file, or a server) and a recorded workload to a
 * judgement of all that could be the partition key.
 */
public final class AdviseCommandLine {
  public static final String NAME = "advise";
  private static final int GROWTH_MAX = 1_000;
  private static final int PARTITIONS_MAX = 64;
  private static final JsonWriterSettings JSON =
      JsonWriterSettings.builder().outputMode(JsonMode.RELAXED).indent(true).build();

  private final Console console;

  public AdviseCommandLine(Console console) {
    this.console = console;
  }

  private static OptionTable table() {
    return new OptionTable(
            NAME,
            "Says which partition key a collection should have, by its documents and by a workload"
                + " that orrery record has recorded.")
        .parameter("<source>", "A dump, an archive or a file with the documents. Default: --uri")
        .text("--uri", "<uri>", "Reads the documents from a server instead.")
        .text("--workload", "<file>", "What orrery record wrote.")
        .text("--ns", "<db.collection>", "The collection.")
        .text(
            "--key", "<field>", "The present partition key, if the workload was recorded with one.")
        .text(
            "--candidates", "<fields>", "Fields to judge besides those found, with commas between.")
        .text(
            "--partitions",
            "<n>",
            "Over how many physical partitions it must spread. Default: "
                + AdvisorSettings.PARTITIONS)
        .text(
            "--growth",
            "<percent>",
            "By how much the data grow in a month. Default: by what the workload inserts")
        .text("--prices", "<file>", "A JSON file with prices, as docs/choosing-a-key.md has one.")
        .flag("--json", "Writes JSON instead of Markdown.");
  }

  /** Returns 0 when there is an answer, 1 when it failed, 2 for bad options. */
  public int run(String... arguments) {
    return CommandLines.run(console, NAME, () -> runChecked(arguments));
  }

  private int runChecked(String... arguments) throws IOException {
    OptionTable.Values values = table().parse(console.out(), arguments);
    if (values == null) {
      return CommandLines.DONE;
    }
    Namespace namespace = namespace(required(values, "--ns"));
    Path workload = Path.of(required(values, "--workload"));
    boolean hasSource = !values.parameters().isEmpty();
    if (hasSource == (values.find("--uri") != null)) {
      throw new UsageException("say where the documents are: a dump or file, or --uri");
    }
    var advisor = new Advisor(settings(values));
    Advisor.Input<RecordedRequest> requests = to -> requests(workload, namespace, to);
    KeyAdvice advice;
    if (hasSource) {
      advice = advisor.advise(to -> source(values, namespace, to), requests);
    } else {
      try (var server = TransferServer.connect(values.find("--uri"), "orrery advise")) {
        advice = advisor.advise(to -> stored(server, namespace, to), requests);
      }
    }
    console
        .out()
        .println(
            values.has("--json")
                ? AdviceReport.of(advice).toJson(JSON)
                : AdviceMarkdown.of(advice));
    return CommandLines.DONE;
  }

  private static String required(OptionTable.Values values, String option) {
    String value = values.find(option);
    if (value == null) {
      throw new UsageException(option + " is missing");
    }
    return value;
  }

  private static Namespace namespace(String text) {
    int dot = text.indexOf('.');
    if (dot <= 0 || dot == text.length() - 1) {
      throw new UsageException("--ns is db.collection, not " + text);
    }
    return new Namespace(text.substring(0, dot), text.substring(dot + 1));
  }

  private static AdvisorSettings settings(OptionTable.Values values) throws IOException {
    int growth = values.number("--growth", -1, 0, GROWTH_MAX);
    String prices = values.find("--prices");
    return new AdvisorSettings(
        values.list("--candidates"),
        values.find("--key"),
        List.of(),
        values.number("--partitions", AdvisorSettings.PARTITIONS, 1, PARTITIONS_MAX),
        growth < 0 ? Growth.MEASURED : new Growth(growth / 100.0),
        prices == null ? Prices.standard() : Prices.parse(Files.readString(Path.of(prices))));
  }

  private static void requests(Path file, Namespace namespace, Predicate<RecordedRequest> to)
      throws IOException {
    try (var reader = new WorkloadReader(new BufferedInputStream(Files.newInputStream(file)))) {
      for (RecordedRequest next = reader.next(); next != null; next = reader.next()) {
        boolean isMeant = next.target().namespace().equals(namespace.toString());
        if (isMeant && !to.test(next)) {
          return;
        }
      }
    }
  }

  private static void stored(
      TransferServer server, Namespace namespace, Predicate<RawDocument> to) {
    var collection =
        server
            .client()
            .getDatabase(namespace.database())
            .getCollection(namespace.collection(), RawBsonDocument.class);
    try (MongoCursor<RawBsonDocument> documents = collection.find().cursor()) {
      boolean goesOn = true;
      while (goesOn && documents.hasNext()) {
        byte[] bytes = documents.next().getByteBuffer().array();
        goesOn = to.test(RawDocument.wrap(bytes.clone()));
      }
    }
  }

  private void source(OptionTable.Values values, Namespace namespace, Predicate<RawDocument> to)
      throws IOException {
    var opener =
        new SourceOpener(
            new NamespaceRules(namespace.database(), namespace.collection()),
            new CsvFormat(List.of(), true, false, false, false, CsvFormat.Grace.parse("stop")),
            namespace.database(),
            namespace.collection(),
            console.in());
    try (Source source = opener.open(values.parameters().get(0), null)) {
      source.read(new Documents(namespace, to));
    } catch (EnoughException enough) {
      // the reader has seen what it wanted to
    }
  }

  /** Ends a source before its end. */
  private static final class EnoughException extends IOException {
    private static final long serialVersionUID = 1L;
  }

  /** Passes on the documents of one collection. */
  private record Documents(Namespace namespace, Predicate<RawDocument> to)
      implements Source.Receiver {
    @Override
    public void record(SourceCollection collection, SourceRecord record) throws IOException {
      if (!collection.namespace().equals(namespace)) {
        return;
      }
      RawDocument document;
      try {
        document = record.document();
      } catch (BadRecordException e) {
        return; // an import would leave it out, and say so
      }
      if (!to.test(document)) {
        throw new EnoughException();
      }
    }

    @Override
    public void end(SourceCollection collection) {}
  }
}
