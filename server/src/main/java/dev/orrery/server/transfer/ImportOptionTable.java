package dev.orrery.server.transfer;

import dev.orrery.server.transfer.analysis.CollectionSettings;
import dev.orrery.server.transfer.source.CsvFormat;
import dev.orrery.server.transfer.source.NamespaceRules;
import dev.orrery.server.transfer.source.UsageException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The options of {@code orrery import}; those that MongoDB's tools have too are called alike. */
final class ImportOptionTable {
  private static final int WORKERS_MAX = 64;
  private static final int BATCH_MAX = 100_000;
  private static final long GIGABYTE = 1L << 30;
  private static final long LOGICAL_PARTITION_GIGABYTES = 20;

  private ImportOptionTable() {}

  static OptionTable table() {
    var table =
        new OptionTable(
            ImportCommandLine.NAME,
            "Imports JSON, CSV, TSV and BSON files, and directories and archives of mongodump."
                + " Without a path reads JSON from the standard input.");
    table.parameter("<path>", "A file, or a directory as mongodump makes it; - is standard input.");
    addSource(table);
    addText(table);
    addWriting(table);
    addOwn(table);
    return table;
  }

  private static void addSource(OptionTable table) {
    table
        .text("--uri", "<uri>", "The server. Default: " + ImportCommandLine.DEFAULT_URI)
        .text("--db -d", "<name>", "The database. For a single file: test by default.")
        .text("--collection -c", "<name>", "The collection. For a file: its name by default.")
        .text("--file", "<file>", "The same as <path>.")
        .text("--dir", "<directory>", "The same as <path>.")
        .optionalText("--archive", "<file>", "An archive; without a file from standard input.")
        .text("--type", "<type>", "json, csv, tsv, bson, dump or archive. Default: by the name.")
        .flag("--gzip", "Accepted; compressed input is recognised anyway.")
        .flag("--json-array --jsonArray", "Accepted; an array is recognised anyway.")
        .texts("--nsInclude", "<pattern>", "Only these namespaces, as in shop.*; repeatable.")
        .texts("--nsExclude", "<pattern>", "Not these namespaces; repeatable.")
        .texts("--nsFrom", "<pattern>", "Rename these, with --nsTo; repeatable.")
        .texts("--nsTo", "<pattern>", "To these; * and $$name$$ stand for what they matched.");
  }

  private static void addText(OptionTable table) {
    table
        .flag("--headerline", "CSV, TSV: the first line has the names of the columns.")
        .text("--fields -f", "<a,b>", "CSV, TSV: the names of the columns.")
        .text("--fieldFile", "<file>", "CSV, TSV: a file with one name in each line.")
        .flag("--columnsHaveTypes", "CSV, TSV: names have types, as in born.date(2006-01-02).")
        .text("--parseGrace", "<what>", "autoCast, skipField, skipRow or stop. Default: stop")
        .flag("--ignoreBlanks", "CSV, TSV: leave out empty fields.")
        .flag("--useArrayIndexFields", "CSV, TSV: a.0, a.1 are positions of an array.");
  }

  private static void addWriting(OptionTable table) {
    table
        .flag("--drop", "Drop each collection before it is imported.")
        .text("--mode", "<mode>", "insert, upsert, merge or delete. Default: insert")
        .text("--upsertFields", "<a,b>", "What identifies a document. Default: _id")
        .flag("--stopOnError", "Stop at the first document that fails. Default: count and go on.")
        .flag("--maintainInsertionOrder", "Write in the order of the source, one by one.")
        .flag("--bypassDocumentValidation", "Do not check validators of collections.")
        .flag("--noIndexRestore", "Build no indexes of a dump.")
        .flag("--noOptionsRestore", "Set no options of collections of a dump.")
        .text("--numInsertionWorkers -j", "<n>", "Threads that write. Default: 1")
        .text("--batchSize", "<n>", "Documents in a batch. Default: 1000");
  }

  private static void addOwn(OptionTable table) {
    table
        .texts(
            "--shard-key",
            "[<ns>=]<path>",
            "Make each collection, or that one, with this partition key; repeatable.")
        .texts(
            "--unique",
            "[<ns>=]<a,b>",
            "Make these fields unique together, before the documents come; repeatable.")
        .texts("--throughput", "[<ns>=]<n>", "Provision so many request units a second.")
        .flag("--dry-run", "Write nothing, and report what an import would meet.")
        .text(
            "--logical-partition-gb",
            "<n>",
            "Dry run: how large a partition key may be. Default: " + LOGICAL_PARTITION_GIGABYTES)
        .text("--resume", "<file>", "Note there how far the import is; go on if it is there.");
  }

  static NamespaceRules rules(OptionTable.Values values) {
    return new NamespaceRules(values.find("--db"), values.find("--collection"))
        .including(values.texts("--nsInclude"))
        .excluding(values.texts("--nsExclude"))
        .renaming(values.texts("--nsFrom"), values.texts("--nsTo"));
  }

  static CsvFormat csv(OptionTable.Values values) throws IOException {
    List<String> fields = values.list("--fields");
    String file = values.find("--fieldFile");
    if (file != null) {
      fields = Files.readAllLines(Path.of(file), StandardCharsets.UTF_8);
    }
    return new CsvFormat(
        fields,
        values.has("--headerline"),
        values.has("--columnsHaveTypes"),
        values.has("--ignoreBlanks"),
        values.has("--useArrayIndexFields"),
        CsvFormat.Grace.parse(values.text("--parseGrace", "stop")));
  }

  static ImportOptions options(OptionTable.Values values) {
    List<String> upsertFields = values.list("--upsertFields");
    String mode = values.text("--mode", upsertFields.isEmpty() ? "insert" : "upsert");
    return new ImportOptions(
        ImportOptions.Mode.parse(mode),
        upsertFields.isEmpty() ? List.of("_id") : upsertFields,
        values.has("--drop"),
        values.has("--stopOnError"),
        values.has("--maintainInsertionOrder"),
        values.has("--bypassDocumentValidation"),
        !values.has("--noIndexRestore"),
        !values.has("--noOptionsRestore"),
        values.number("--numInsertionWorkers", 1, 1, WORKERS_MAX),
        values.number("--batchSize", 1_000, 1, BATCH_MAX),
        new CollectionSettings.Given(
            values.texts("--shard-key"), values.texts("--unique"), values.texts("--throughput")));
  }

  static long logicalPartitionBytes(OptionTable.Values values) {
    String text = values.text("--logical-partition-gb", "" + LOGICAL_PARTITION_GIGABYTES);
    try {
      return (long) (Double.parseDouble(text) * GIGABYTE);
    } catch (NumberFormatException e) {
      throw new UsageException("--logical-partition-gb is a number, not " + text);
    }
  }
}
