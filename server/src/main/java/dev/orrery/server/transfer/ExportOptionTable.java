package dev.orrery.server.transfer;

import dev.orrery.server.transfer.export.BsonWriter;
import dev.orrery.server.transfer.export.DelimitedWriter;
import dev.orrery.server.transfer.export.JsonRecordWriter;
import dev.orrery.server.transfer.export.RecordWriter;
import dev.orrery.server.transfer.source.UsageException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/** The options of {@code orrery export}; those that MongoDB's tools have too are called alike. */
final class ExportOptionTable {
  static final Set<String> FILE_TYPES = Set.of("json", "csv", "tsv", "bson");

  private ExportOptionTable() {}

  static OptionTable table() {
    return new OptionTable(
            ExportCommandLine.NAME,
            "Exports collections with their options and indexes to a directory or an archive that"
                + " mongorestore reads, or one collection to a JSON, CSV, TSV or BSON file.")
        .parameter("<path>", "The same as --out.")
        .text("--uri", "<uri>", "The server. Default: " + ImportCommandLine.DEFAULT_URI)
        .text("--db -d", "<name>", "Only this database.")
        .text("--collection -c", "<name>", "Only this collection.")
        .text("--out -o", "<path>", "The directory or file. Default: dump; a file: standard output")
        .text("--type", "<type>", "dump, json, csv, tsv or bson. Default: by the name of --out")
        .optionalText("--archive", "<file>", "One archive; without a file to standard output.")
        .flag("--gzip", "Compress.")
        .text("--query -q", "<json>", "Only documents that match.")
        .text("--queryFile", "<file>", "The same, from a file.")
        .text("--sort", "<json>", "In this order.")
        .text("--skip", "<n>", "Without the first ones.")
        .text("--limit", "<n>", "So many at most.")
        .text("--fields -f", "<a,b>", "Only these fields; CSV and TSV need them.")
        .text("--fieldFile", "<file>", "The same, one in each line of a file.")
        .flag("--noHeaderLine", "CSV, TSV: without the line of names.")
        .flag("--json-array --jsonArray", "JSON: one array.")
        .text("--jsonFormat", "<format>", "canonical or relaxed. Default: relaxed")
        .flag("--pretty", "JSON: over several lines.")
        .texts("--nsInclude", "<pattern>", "Only these namespaces, as in shop.*; repeatable.")
        .texts("--nsExclude", "<pattern>", "Not these namespaces; repeatable.")
        .flag("--noSnapshot", "Each collection as it is when its turn comes.");
  }

  static RecordWriter writer(String type, OutputStream out, OptionTable.Values values)
      throws IOException {
    boolean hasHeader = !values.has("--noHeaderLine");
    return switch (type) {
      case "json" ->
          new JsonRecordWriter(
              out, isCanonical(values), values.has("--pretty"), values.has("--json-array"));
      case "csv" -> new DelimitedWriter(out, ',', fields(values), hasHeader);
      case "tsv" -> new DelimitedWriter(out, '\t', fields(values), hasHeader);
      case "bson" -> new BsonWriter(out);
      default -> throw new IllegalArgumentException(type);
    };
  }

  static List<String> fields(OptionTable.Values values) throws IOException {
    String file = values.find("--fieldFile");
    return file == null
        ? values.list("--fields")
        : Files.readAllLines(Path.of(file), StandardCharsets.UTF_8);
  }

  private static boolean isCanonical(OptionTable.Values values) {
    String format = values.text("--jsonFormat", "relaxed");
    if (!format.equals("canonical") && !format.equals("relaxed")) {
      throw new UsageException("--jsonFormat is canonical or relaxed, not " + format);
    }
    return format.equals("canonical");
  }
}
