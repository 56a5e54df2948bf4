package dev.orrery.server.transfer;

import dev.orrery.server.transfer.export.ArchiveWriter;
import dev.orrery.server.transfer.export.DirectoryWriter;
import dev.orrery.server.transfer.export.DumpWriter;
import dev.orrery.server.transfer.export.ExportCatalog;
import dev.orrery.server.transfer.export.ExportSelection;
import dev.orrery.server.transfer.export.ExportSnapshot;
import dev.orrery.server.transfer.export.Exporter;
import dev.orrery.server.transfer.export.OutputFile;
import dev.orrery.server.transfer.export.RecordWriter;
import dev.orrery.server.transfer.source.Console;
import dev.orrery.server.transfer.source.NamespaceRules;
import dev.orrery.server.transfer.source.Progress;
import dev.orrery.server.transfer.source.SourceCollection;
import dev.orrery.server.transfer.source.UsageException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/** {@code orrery export}: from a command line to an export. */
public final class ExportCommandLine {
  public static final String NAME = "export";

  private final Console console;
  private final String version;

  public ExportCommandLine(Console console, String version) {
    this.console = console;
    this.version = version;
  }

  /** Returns 0 when all was exported, 1 when it was not, 2 when the options make no sense. */
  public int run(String... arguments) {
    return CommandLines.run(console, NAME, () -> runChecked(arguments));
  }

  private int runChecked(String... arguments) throws IOException {
    OptionTable.Values values = ExportOptionTable.table().parse(console.out(), arguments);
    if (values == null) {
      return CommandLines.DONE;
    }
    String type = type(values);
    ExportSelection selection = selection(values, type);
    long start = System.nanoTime();
    String uri = values.text("--uri", ImportCommandLine.DEFAULT_URI);
    try (var server = TransferServer.connect(uri, "orrery export")) {
      var rules =
          new NamespaceRules(values.find("--db"), values.find("--collection"))
              .including(values.texts("--nsInclude"))
              .excluding(values.texts("--nsExclude"));
      List<SourceCollection> collections =
          new ExportCatalog(server.client()).list(rules, values.find("--db"));
      try (ExportSnapshot snapshot = snapshot(server, collections, values)) {
        var exporter = new Exporter(server.client(), snapshot, selection);
        export(collections, exporter, values, server.version());
        console
            .err()
            .printf(
                "%,d documents exported in %.1f s.%n",
                exporter.documents(), (System.nanoTime() - start) / 1e9);
      }
      return CommandLines.DONE;
    }
  }

  private void export(
      List<SourceCollection> collections,
      Exporter exporter,
      OptionTable.Values values,
      String serverVersion)
      throws IOException {
    try (var progress =
        new Progress(console.err(), console.isTerminal(), System::nanoTime, exporter)) {
      progress.start();
      String type = type(values);
      if (type.equals("dump")) {
        dump(collections, exporter, values, serverVersion);
      } else {
        write(collections, exporter, values, type);
      }
    }
  }

  /** The state of the whole server at one point, where the server can be read so. */
  private ExportSnapshot snapshot(
      TransferServer server, List<SourceCollection> collections, OptionTable.Values values) {
    ExportSnapshot none = ExportSnapshot.none(server.client());
    if (values.has("--noSnapshot")) {
      return none;
    }
    ExportSnapshot snapshot = ExportSnapshot.open(server.client(), collections.get(0).namespace());
    if (snapshot == null) {
      console
          .err()
          .println(
              "The server cannot be read at one point: each collection is exported as it is when"
                  + " its turn comes.");
    }
    return snapshot == null ? none : snapshot;
  }

  private static String type(OptionTable.Values values) {
    String type = values.find("--type");
    if (type == null) {
      String out = out(values) == null ? "" : out(values).replaceAll("\\.gz$", "");
      String ending = out.contains(".") ? out.substring(out.lastIndexOf('.') + 1) : "";
      boolean isFile = !values.has("--archive") && ExportOptionTable.FILE_TYPES.contains(ending);
      return isFile ? ending : "dump";
    }
    String lower = type.toLowerCase(Locale.ROOT);
    if (!lower.equals("dump") && !ExportOptionTable.FILE_TYPES.contains(lower)) {
      throw new UsageException("--type is dump, json, csv, tsv or bson, not " + type);
    }
    return lower;
  }

  private static @Nullable String out(OptionTable.Values values) {
    List<String> given = values.parameters();
    return values.has("--out") || given.isEmpty() ? values.find("--out") : given.get(0);
  }

  private static ExportSelection selection(OptionTable.Values values, String type)
      throws IOException {
    String query = values.find("--query");
    if (values.has("--queryFile")) {
      query = Files.readString(Path.of(values.find("--queryFile")), StandardCharsets.UTF_8);
    }
    List<String> fields = ExportOptionTable.fields(values);
    if (fields.isEmpty() && (type.equals("csv") || type.equals("tsv"))) {
      throw new UsageException("--type " + type + " needs --fields a,b,c");
    }
    if (type.equals("dump") && !fields.isEmpty()) {
      throw new UsageException("--fields goes with --type json, csv, tsv or bson");
    }
    return new ExportSelection(
        document(query, "--query"),
        document(values.find("--sort"), "--sort"),
        values.number("--skip", 0, 0, Integer.MAX_VALUE),
        values.number("--limit", 0, 0, Integer.MAX_VALUE),
        fields);
  }

  private static BsonDocument document(@Nullable String json, String option) {
    try {
      return json == null ? new BsonDocument() : BsonDocument.parse(json);
    } catch (RuntimeException e) { // the parser has many
      throw new UsageException(option + " is no document: " + e.getMessage());
    }
  }

  private void dump(
      List<SourceCollection> collections,
      Exporter exporter,
      OptionTable.Values values,
      String serverVersion)
      throws IOException {
    boolean isPacked = values.has("--gzip");
    String archive = values.find("--archive");
    String out = out(values) == null ? "dump" : out(values);
    try (DumpWriter writer =
        archive == null
            ? new DirectoryWriter(Path.of(out), isPacked)
            : new ArchiveWriter(open(archive, isPacked), serverVersion, version)) {
      exporter.dump(collections, writer);
    }
  }

  private OutputStream open(String path, boolean isPacked) throws IOException {
    return path.equals(OutputFile.STANDARD_OUTPUT)
        ? OutputFile.standard(console.out(), isPacked)
        : OutputFile.open(Path.of(path), isPacked);
  }

  private void write(
      List<SourceCollection> collections, Exporter exporter, OptionTable.Values values, String type)
      throws IOException {
    if (collections.size() != 1) {
      throw new UsageException(
          "a file holds one collection; say --db and --collection, or leave out --type");
    }
    String path = out(values) == null ? OutputFile.STANDARD_OUTPUT : out(values);
    boolean isPacked = values.has("--gzip") || path.endsWith(".gz");
    try (RecordWriter writer = ExportOptionTable.writer(type, open(path, isPacked), values)) {
      exporter.write(collections.get(0), writer);
    }
  }
}
