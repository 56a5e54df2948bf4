package dev.orrery.compat;

import com.mongodb.client.MongoClients;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.bson.Document;

/** The clients of the table, and how each tells its version. */
enum ClientKind {
  JAVA("Java driver, synchronous", driver()),
  REACTIVE(
      "Java driver, reactive streams",
      jar("mongodb-driver-reactivestreams", Path.of("target", "reactive-driver"))),
  SPRING("Spring Data", jar("spring-data-mongodb", Path.of("target", "spring-data"))),
  NODE("Node.js driver", npm("mongodb")),
  MONGOOSE("mongoose", npm("mongoose")),
  MONGOSH("mongosh", npm("mongosh")),
  PYMONGO("pymongo", debian("python3-pymongo")),
  PHP("PHP driver", debian("php-mongodb")),
  C("C driver", debian("libmongoc-dev"));

  /** Finds out a version; asked only when the table is written. */
  @FunctionalInterface
  interface Version {
    String find() throws IOException;
  }

  private final String title;
  private final Version version;

  ClientKind(String title, Version version) {
    this.title = title;
    this.version = version;
  }

  String title() {
    return title;
  }

  String version() throws IOException {
    return version.find();
  }

  /** By the name of its jar, which has the version after it. */
  private static Version jar(String name, Path folder) {
    return () -> {
      try (var files = Files.list(folder)) {
        return files
            .map(file -> file.getFileName().toString())
            .filter(file -> file.startsWith(name) && file.endsWith(".jar"))
            .findAny()
            .map(file -> name + " " + file.substring(name.length() + 1, file.length() - 4))
            .orElseThrow();
      }
    };
  }

  private static Version driver() {
    Path jar =
        Path.of(
            URI.create(
                MongoClients.class.getProtectionDomain().getCodeSource().getLocation().toString()));
    return jar("mongodb-driver-sync", jar.getParent());
  }

  private static Version npm(String name) {
    Path description = Path.of("node_modules", name, "package.json");
    return () -> {
      String json = Files.readString(ClientTool.folder().resolve(description));
      return name + " " + Document.parse(json).getString("version");
    };
  }

  private static Version debian(String name) {
    return () -> {
      var command = List.of("dpkg-query", "-W", "-f", "${Version}", name);
      Process process = new ProcessBuilder(command).start();
      String version = new String(process.getInputStream().readAllBytes());
      return name + " " + version.replaceAll("[+-].*", "");
    };
  }
}
