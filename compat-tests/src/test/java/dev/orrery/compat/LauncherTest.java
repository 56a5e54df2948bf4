package dev.orrery.compat;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The script {@code orrery} with a Maven and a Java that do nothing: when it builds, and when not.
 */
final class LauncherTest {
  private static final Path PROJECT = Path.of("..").toAbsolutePath().normalize();
  private static final Pattern MODULE = Pattern.compile("<artifactId>orrery-(\\w+)</artifactId>");
  private static final Instant BEFORE = Instant.parse("2020-01-01T00:00:00Z");
  private static final Instant BUILT = BEFORE.plusSeconds(60);
  private static final Instant AFTER = BEFORE.plusSeconds(120);

  @TempDir private Path home;

  @BeforeEach
  void copy() throws IOException {
    program(home.resolve("orrery"), Files.readString(PROJECT.resolve("orrery")));
    program(home.resolve("bin/mvn"), "#!/bin/sh\n");
    program(home.resolve("bin/java"), "#!/bin/sh\n");
    write("pom.xml", BEFORE);
    for (String module : modules()) {
      write(module + "/pom.xml", BEFORE);
      write(module + "/src/main/java/Some.java", BEFORE);
      write(module + "/src/test/java/SomeTest.java", AFTER);
    }
    write("benchmarks/pom.xml", BEFORE);
    write("benchmarks/src/main/java/Some.java", AFTER);
    write("server/target/orrery.jar", BUILT);
    write("server/target/orrery.jsa", AFTER);
  }

  @Test
  void aChangeInWhateverTheJarIsMadeOfBuildsItAnew() throws Exception {
    assertThat(modules()).contains("server", "storage", "value");
    assertThat(buildsFirst()).isFalse();
    for (String module : modules()) {
      for (String file : List.of("pom.xml", "src/main/java/Some.java")) {
        write(module + "/" + file, AFTER);
        assertThat(buildsFirst()).as("%s of %s", file, module).isTrue();
        write(module + "/" + file, BEFORE);
        write("server/target/orrery.jar", BUILT);
        assertThat(buildsFirst()).isFalse();
      }
    }
    Files.delete(home.resolve("server/target/orrery.jar"));
    assertThat(buildsFirst()).isTrue();
  }

  /** The server and what it depends on, as the projects' own files say. */
  private static Set<String> modules() throws IOException {
    var found = new TreeSet<String>();
    add("server", found);
    return found;
  }

  private static void add(String module, Set<String> found) throws IOException {
    if (found.add(module)) {
      String text = Files.readString(PROJECT.resolve(module).resolve("pom.xml"));
      for (String named : MODULE.matcher(text).results().map(one -> one.group(1)).toList()) {
        add(named, found);
      }
    }
  }

  private boolean buildsFirst() throws Exception {
    var builder = new ProcessBuilder(home.resolve("orrery").toString(), "--help");
    builder.environment().remove("JAVA_HOME");
    builder.environment().merge("PATH", home.resolve("bin") + ":", (old, bin) -> bin + old);
    Process process = builder.redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes());
    assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as(output).isZero();
    return output.contains("orrery: building");
  }

  private void write(String name, Instant changed) throws IOException {
    Path file = home.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, "");
    Files.setLastModifiedTime(file, FileTime.from(changed));
  }

  private static void program(Path file, String text) throws IOException {
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
  }
}
