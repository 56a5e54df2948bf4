package dev.orrery.server.transfer.source;

import dev.orrery.value.Namespace;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Finds out what kind of source a path is, by what was said or by how it looks, and opens it. */
public final class SourceOpener {
  public static final String STANDARD_INPUT = "-";

  /** The kinds of sources, by the names that --type has for them. */
  public enum Type {
    JSON,
    CSV,
    TSV,
    BSON,
    DUMP,
    ARCHIVE
  }

  private static final Map<String, Type> ENDINGS =
      Map.of(
          ".json", Type.JSON,
          ".jsonl", Type.JSON,
          ".ndjson", Type.JSON,
          ".csv", Type.CSV,
          ".tsv", Type.TSV,
          ".bson", Type.BSON,
          ".archive", Type.ARCHIVE);

  private final NamespaceRules rules;
  private final CsvFormat csv;
  private final @Nullable String database;
  private final @Nullable String collection;
  private final InputStream standardInput;

  public SourceOpener(
      NamespaceRules rules,
      CsvFormat csv,
      @Nullable String database,
      @Nullable String collection,
      InputStream standardInput) {
    this.rules = rules;
    this.csv = csv;
    this.database = database;
    this.collection = collection;
    this.standardInput = standardInput;
  }

  /**
   * Opens a source.
   *
   * @param path of a file or directory, or {@code -}
   * @param type as it was said, or null
   */
  public Source open(String path, @Nullable Type type) throws IOException {
    Type found = type != null ? type : guess(path);
    if (found == Type.DUMP) {
      Path directory = Path.of(path);
      if (!Files.isDirectory(directory)) {
        throw new TransferException("There is no directory " + path + ".");
      }
      return DumpDirectory.open(directory, database, rules::accept);
    }
    var bytesRead = new AtomicLong();
    boolean isStandard = path.equals(STANDARD_INPUT);
    InputStream in =
        isStandard
            ? InputFile.unpacked(standardInput, bytesRead, "standard input")
            : InputFile.open(Path.of(path), bytesRead);
    String name = isStandard ? "standard input" : Path.of(path).getFileName().toString();
    long size = isStandard ? -1 : Files.size(Path.of(path));
    if (found == Type.ARCHIVE) {
      return Archive.open(in, name, bytesRead, size, rules::accept);
    }
    String fingerprint = found + " " + name + " " + size;
    return new SingleFile(
        target(path, isStandard), records(in, name, found), bytesRead, size, fingerprint);
  }

  private RecordReader records(InputStream in, String name, Type type) throws IOException {
    return switch (type) {
      case JSON -> new JsonRecords(in, name);
      case CSV -> new DelimitedRecords(new DelimitedRows(in, name, ','), name, csv);
      case TSV -> new DelimitedRecords(new DelimitedRows(in, name, '\t'), name, csv);
      case BSON -> new BsonRecords(in, name);
      case DUMP, ARCHIVE -> throw new IllegalArgumentException(type + " has many collections");
    };
  }

  /** The collection a single file goes to: as it was said, or named like the file. */
  private SourceCollection target(String path, boolean isStandard) throws IOException {
    String name = collection;
    if (name == null && !isStandard) {
      name = DumpNames.collection(withoutEndings(Path.of(path).getFileName().toString()));
    }
    if (name == null || name.isEmpty()) {
      throw new UsageException("say --collection NAME: the documents have to go somewhere");
    }
    var metadata = metadata(path, isStandard, name);
    return new SourceCollection(
        new Namespace(database == null ? "test" : database, name), metadata);
  }

  /** A .bson file may lie beside its metadata, as it does in a dump. */
  private static CollectionMetadata metadata(String path, boolean isStandard, String name)
      throws IOException {
    String unpacked = path.endsWith(".gz") ? path.substring(0, path.length() - 3) : path;
    if (!isStandard && unpacked.endsWith(".bson")) {
      String stem = unpacked.substring(0, unpacked.length() - 5) + ".metadata.json";
      for (String candidate : new String[] {stem, stem + ".gz"}) {
        if (Files.isRegularFile(Path.of(candidate))) {
          try (InputStream in = InputFile.open(Path.of(candidate), new AtomicLong())) {
            var text = new String(in.readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
            return CollectionMetadata.parse(text, name, candidate);
          }
        }
      }
    }
    return CollectionMetadata.bare(name);
  }

  private static String withoutEndings(String name) {
    String unpacked = name.endsWith(".gz") ? name.substring(0, name.length() - 3) : name;
    int dot = unpacked.lastIndexOf('.');
    return dot > 0 && ENDINGS.containsKey(unpacked.substring(dot))
        ? unpacked.substring(0, dot)
        : unpacked;
  }

  private static Type guess(String path) throws IOException {
    if (path.equals(STANDARD_INPUT)) {
      return Type.JSON; // as mongoimport has it
    }
    if (Files.isDirectory(Path.of(path))) {
      return Type.DUMP;
    }
    String unpacked = path.endsWith(".gz") ? path.substring(0, path.length() - 3) : path;
    int dot = unpacked.lastIndexOf('.');
    Type byName = dot < 0 ? null : ENDINGS.get(unpacked.substring(dot));
    return byName != null ? byName : guessByContent(path);
  }

  private static Type guessByContent(String path) throws IOException {
    try (InputStream in = InputFile.open(Path.of(path), new AtomicLong())) {
      byte[] head = in.readNBytes(4);
      if (head.length == 4
          && new BsonRecords(new java.io.ByteArrayInputStream(head), path).nextInt()
              == ArchiveFormat.MAGIC) {
        return Type.ARCHIVE;
      }
      if (head.length > 0 && (head[0] == '{' || head[0] == '[')) {
        return Type.JSON;
      }
    }
    throw new UsageException(
        "the format of " + path + " cannot be told by its name; say --type json, csv, tsv or bson");
  }
}
