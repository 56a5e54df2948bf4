package dev.orrery.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Indexes;
import com.mongodb.client.model.Sorts;
import dev.orrery.storage.PrivateFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** A server process whose umask forbids nothing, looked at from outside all the while. */
@EnabledOnOs({OS.LINUX, OS.MAC})
final class FilePermissionsTest {
  private static final String FILLING = "x".repeat(100_000);

  @TempDir private Path root;

  private final Set<String> seen = new ConcurrentSkipListSet<>();
  private final Set<String> loose = new ConcurrentSkipListSet<>();
  private volatile boolean isWatching = true;

  private Path data() {
    return root.resolve("above/data");
  }

  private Process start() throws IOException {
    var command = new ArrayList<>(List.of("sh", "-c", "umask 000; exec \"$@\"", "sh"));
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(flag -> flag.startsWith("--") || flag.startsWith("-Dsun.misc.unsafe."))
        .forEach(command::add);
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(List.of("dev.orrery.server.Main", "--port=0", "--console-port=off", "--tls"));
    command.add("--data=" + data());
    return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }

  private static MongoClient connect(Process process) throws IOException {
    String line = process.inputReader().readLine();
    return MongoClients.create(line.substring(line.indexOf("mongodb://")));
  }

  /** Temporary files live for a moment only, so looking once at the end is not enough. */
  private void watch() {
    while (isWatching) {
      look();
    }
  }

  private void look() {
    if (!Files.exists(data())) {
      return;
    }
    try (Stream<Path> paths = Files.walk(data())) {
      paths.forEach(this::look);
    } catch (IOException | UncheckedIOException e) {
      return; // something went while it was looked at; the next round sees the rest
    }
  }

  private void look(Path path) {
    String name = data().relativize(path).toString();
    seen.add(name);
    try {
      if (PrivateFiles.isOpenToOthers(path)) {
        loose.add(name);
      }
    } catch (NoSuchFileException e) {
      return;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void nothingInTheDataDirectoryIsOpenToOthers() throws Exception {
    var watcher = new Thread(this::watch);
    watcher.start();
    Process first = start();
    try (MongoClient client = connect(first)) {
      work(client);
    } finally {
      first.destroyForcibly().waitFor();
    }
    Process second = start(); // and recovers
    try (MongoClient client = connect(second)) {
      assertThat(client.getDatabase("db").getCollection("wide").countDocuments()).isEqualTo(1_200);
      second.toHandle().destroy();
      assertThat(second.waitFor(60, TimeUnit.SECONDS)).isTrue();
    } finally {
      second.destroyForcibly();
      isWatching = false;
      watcher.join();
    }
    look();
    assertThat(loose).isEmpty();
    assertThat(seen)
        .contains("", "orrery.lock", "checkpoint", "log/lock", "log/manifest", "tls/server.key")
        .contains("tls/server.crt", "partitions", "partitions/1-0/slots")
        .anyMatch(name -> name.endsWith(".map"))
        .anyMatch(name -> name.matches(".*/sort[^/]*\\.spill"))
        .anyMatch(name -> name.matches(".*/group[^/]*\\.spill"))
        .anyMatch(name -> name.contains("unique-"));
    // What is above the data directory is not ours.
    assertThat(PrivateFiles.isOpenToOthers(data().getParent())).isTrue();
  }

  private static void work(MongoClient client) {
    var database = client.getDatabase("db");
    MongoCollection<Document> wide = database.getCollection("wide");
    for (int i = 0; i < 1_200; i += 100) {
      wide.insertMany(documents(i, 100, FILLING));
    }
    MongoCollection<Document> many = database.getCollection("many");
    client
        .getDatabase("admin")
        .runCommand(Document.parse("{shardCollection: 'db.many', key: {k: 'hashed'}}"));
    for (int i = 0; i < 20_000; i += 1_000) {
      many.insertMany(documents(i, 1_000, "x"));
    }
    many.createIndex(Indexes.ascending("v"));
    many.createIndex(Document.parse("{k: 1, v: 1}"), unique());
    sortAndGroupOnDisk(wide);
    client.getDatabase("admin").runCommand(Document.parse("{fsync: 1}"));
    many.deleteMany(Document.parse("{v: {$gt: 100}}"));
    database.runCommand(Document.parse("{compact: 'many'}"));
    client.getDatabase("admin").runCommand(Document.parse("{fsync: 1}"));
  }

  private static com.mongodb.client.model.IndexOptions unique() {
    return new com.mongodb.client.model.IndexOptions().unique(true);
  }

  private static List<Document> documents(int from, int count, String filling) {
    var documents = new ArrayList<Document>();
    for (int i = from; i < from + count; i++) {
      documents.add(new Document("_id", i).append("k", i % 50).append("v", i).append("x", filling));
    }
    return documents;
  }

  /** The cursors stay open for a while, and their files with them. */
  private static void sortAndGroupOnDisk(MongoCollection<Document> wide) {
    var group = Document.parse("{$group: {_id: '$v', x: {$push: '$x'}}}");
    try (var found =
            wide.find().sort(Sorts.descending("x", "v")).allowDiskUse(true).batchSize(2).cursor();
        var grouped = wide.aggregate(List.of(group)).allowDiskUse(true).batchSize(2).cursor()) {
      found.next();
      grouped.next();
    }
  }
}
