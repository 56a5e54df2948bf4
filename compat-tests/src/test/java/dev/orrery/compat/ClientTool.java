package dev.orrery.compat;

import static org.assertj.core.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * A client that is no part of this build; {@code .ci/run} installs all of them. Where it is absent
 * its tests are skipped, but with {@code CI=true} in the environment they fail.
 */
enum ClientTool {
  MONGODB("node", "node_modules/mongodb/package.json"),
  MEMORY_SERVER("node", "node_modules/mongodb-memory-server-core/package.json"),
  MONGOOSE("node", "node_modules/mongoose/package.json"),
  MONGOSH("node", "node_modules/mongosh/bin/mongosh.js"),
  /** Debian's packages go with Debian's Python, whatever other Python comes first on the path. */
  PYMONGO("/usr/bin/python3", "/usr/lib/python3/dist-packages/pymongo/__init__.py"),
  PYTEST("/usr/bin/python3", "/usr/lib/python3/dist-packages/pytest/__init__.py"),
  GRIDFS("/usr/bin/python3", "/usr/lib/python3/dist-packages/gridfs/__init__.py"),
  PHP("php", "/var/lib/dpkg/info/php-mongodb.list"),
  MONGOC("cc", "/usr/include/libmongoc-1.0/mongoc/mongoc.h");

  private final String interpreter;
  private final Path proof;

  ClientTool(String interpreter, String proof) {
    this.interpreter = interpreter;
    this.proof = folder().resolve(proof);
  }

  /** The command that runs a script of the folder {@code clients}. */
  List<String> script(String name, String... arguments) {
    return command(folder().resolve(name), arguments);
  }

  /** The command that runs the program that this tool is itself. */
  List<String> program(String... arguments) {
    return command(proof, arguments);
  }

  /** The command that makes a program of a source in the folder {@code clients}. */
  List<String> compiler(String source, Path program) {
    requirePresent();
    String libraries = "$(pkg-config --cflags --libs libmongoc-1.0)";
    String line = "%s -Wall -Wextra -Werror -o %s %s %s";
    return List.of(
        "sh", "-c", line.formatted(interpreter, program, folder().resolve(source), libraries));
  }

  private List<String> command(Path program, String... arguments) {
    requirePresent();
    return Stream.concat(Stream.of(interpreter, program.toString()), Stream.of(arguments)).toList();
  }

  private void requirePresent() {
    if (!Files.exists(proof)) {
      absent(proof + " is missing: run .ci/run, which installs it");
    }
    if (!isRunnable(interpreter)) {
      absent(interpreter + " is not installed");
    }
  }

  /** Where the scripts are. */
  static Path folder() {
    return Path.of("clients").toAbsolutePath();
  }

  private static void absent(String reason) {
    if ("true".equals(System.getenv("CI"))) {
      fail(reason);
    }
    abort(reason);
  }

  private static boolean isRunnable(String program) {
    try {
      Process process =
          new ProcessBuilder(program, "--version")
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      return process.waitFor() == 0;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
