package dev.orrery.server.transfer.source;

import dev.orrery.value.Namespace;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A directory as mongodump makes it: {@code DATABASE/COLLECTION.bson} with the documents, {@code
 * COLLECTION.metadata.json} with options and indexes, each perhaps with {@code .gz} at its end.
 */
final class DumpDirectory implements Source {
  private static final String DOCUMENTS = ".bson";
  private static final String METADATA = ".metadata.json";
  private static final String PACKED = ".gz";
  private static final String BUCKETS = "system.buckets.";

  /** A collection and its file of documents; a view has none. */
  private record Entry(SourceCollection collection, @Nullable Path documents) {}

  private final Path root;
  private final List<Entry> entries = new ArrayList<>();
  private final AtomicLong bytesRead = new AtomicLong();
  private final Predicate<Namespace> wanted;
  private final List<String> warnings = new ArrayList<>();

  private DumpDirectory(Path root, Predicate<Namespace> wanted) {
    this.root = root;
    this.wanted = wanted;
  }

  /**
   * Looks at the directory.
   *
   * @param database the one whose directory this is; null if it has a directory for each database
   * @param wanted which collections matter; the files of others are not opened
   */
  static DumpDirectory open(Path root, @Nullable String database, Predicate<Namespace> wanted)
      throws IOException {
    var dump = new DumpDirectory(root, wanted);
    if (database != null && hasDocuments(root)) {
      dump.addDatabase(root, database);
    } else {
      for (Path directory : sorted(root)) {
        if (Files.isDirectory(directory)) {
          dump.addDatabase(directory, directory.getFileName().toString());
        }
      }
    }
    if (dump.entries.isEmpty()) {
      throw new TransferException(
          hasDocuments(root)
              ? root + " is the directory of one database; say --db NAME."
              : "There is nothing to import in "
                  + root
                  + ": no DATABASE/COLLECTION.bson that is asked for.");
    }
    return dump;
  }

  private static boolean hasDocuments(Path directory) throws IOException {
    return sorted(directory).stream()
        .anyMatch(file -> ends(file, DOCUMENTS) || ends(file, METADATA));
  }

  private static boolean ends(Path file, String ending) {
    String name = file.getFileName().toString();
    return name.endsWith(ending) || name.endsWith(ending + PACKED);
  }

  private static List<Path> sorted(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.sorted().toList();
    }
  }

  private void addDatabase(Path directory, String database) throws IOException {
    var documents = new TreeMap<String, Path>();
    var metadata = new TreeMap<String, Path>();
    for (Path file : sorted(directory)) {
      String name = file.getFileName().toString();
      String unpacked = name.endsWith(PACKED) ? name.substring(0, name.length() - 3) : name;
      if (unpacked.endsWith(METADATA)) {
        metadata.put(unpacked.substring(0, unpacked.length() - METADATA.length()), file);
      } else if (unpacked.endsWith(DOCUMENTS)) {
        documents.put(unpacked.substring(0, unpacked.length() - DOCUMENTS.length()), file);
      }
    }
    for (Map.Entry<String, Path> file : metadata.entrySet()) {
      String json = text(file.getValue());
      String name = DumpNames.collection(file.getKey());
      var described = CollectionMetadata.parse(json, name, file.getValue().toString());
      Path plain = documents.remove(file.getKey());
      Path packed = described.isSeries() ? documents.remove(BUCKETS + file.getKey()) : null;
      add(database, described, packed == null ? plain : packed, packed != null);
    }
    for (Map.Entry<String, Path> file : documents.entrySet()) {
      var bare = CollectionMetadata.bare(DumpNames.collection(file.getKey()));
      add(database, bare, file.getValue(), false);
    }
  }

  private void add(
      String database, CollectionMetadata metadata, @Nullable Path documents, boolean isPacked) {
    var namespace = new Namespace(database, metadata.name());
    if (wanted.test(namespace)) {
      entries.add(new Entry(new SourceCollection(namespace, metadata, isPacked), documents));
    } else {
      NamespaceRules.warning(namespace).ifPresent(warnings::add);
    }
  }

  private static String text(Path file) throws IOException {
    try (InputStream in = InputFile.open(file, new AtomicLong())) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @Override
  public List<SourceCollection> collections() {
    return entries.stream().map(Entry::collection).toList();
  }

  @Override
  public List<String> warnings() {
    return List.copyOf(warnings);
  }

  @Override
  public void read(Receiver receiver) throws IOException {
    for (Entry entry : entries) {
      if (entry.documents != null) {
        String name = root.relativize(entry.documents).toString();
        InputStream in = InputFile.open(entry.documents, bytesRead);
        try (var records = new BsonRecords(in, name)) {
          SourceRecord record;
          while ((record = records.next()) != null) {
            receiver.record(entry.collection, record);
          }
        }
      }
      receiver.end(entry.collection);
    }
  }

  @Override
  public long bytesTotal() {
    return entries.stream().mapToLong(DumpDirectory::size).sum();
  }

  private static long size(Entry entry) {
    return entry.documents == null ? 0 : entry.documents.toFile().length();
  }

  @Override
  public long bytesRead() {
    return bytesRead.get();
  }

  @Override
  public String fingerprint() {
    var text = new StringBuilder("dump");
    for (Entry entry : entries) {
      text.append(' ').append(entry.collection.namespace()).append('=').append(size(entry));
    }
    return text.toString();
  }

  @Override
  public void close() {
    // Each file is closed when it was read.
  }
}
