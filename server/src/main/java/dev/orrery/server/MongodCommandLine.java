package dev.orrery.server;

import dev.orrery.server.command.ServerFacts;
import dev.orrery.storage.PrivateFiles;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.jspecify.annotations.Nullable;

/**
 * {@code orrery mongod ...}: takes the usual options of MongoDB's server, and prints what tools
 * wait for that start one.
 */
final class MongodCommandLine {
  static final String NAME = "mongod";

  /** Storage engines of MongoDB that keep nothing. */
  private static final Set<String> EPHEMERAL = Set.of("ephemeralForTest", "inMemory");

  /** Options without a value that change nothing here. */
  private static final Set<String> FLAGS =
      Set.of(
          "directoryperdb",
          "ipv6",
          "journal",
          "logappend",
          "noauth",
          "nohttpinterface",
          "nojournal",
          "noprealloc",
          "noscripting",
          "nounixsocket",
          "quiet",
          "smallfiles",
          "wiredTigerDirectoryForIndexes");

  /** Options whose value changes nothing here. */
  private static final Set<String> VALUES =
      Set.of(
          "enableMajorityReadConcern",
          "filePermissions",
          "inMemorySizeGB",
          "journalCommitInterval",
          "networkMessageCompressors",
          "oplogSize",
          "setParameter",
          "syncdelay",
          "unixSocketPrefix",
          "wiredTigerCacheSizeGB",
          "wiredTigerCollectionBlockCompressor",
          "wiredTigerJournalCompressor");

  private static final String DATA_DEFAULT = "/data/db";

  private final PrintStream out;
  private final List<String> own = new ArrayList<>();
  private String data = DATA_DEFAULT;
  private @Nullable Path log;
  private boolean isEphemeral;
  private boolean needsLogin;
  private boolean isReplicaSet;
  private String bind = "127.0.0.1";

  MongodCommandLine(PrintStream out) {
    this.out = out;
  }

  /**
   * The same in our own options; null when something else was asked for, which is printed then.
   *
   * @throws ConfigException for an option that is unknown, or cannot be honoured
   */
  @Nullable List<String> translate(String... arguments) {
    own.add("--console-port=off");
    Deque<String> left = new ArrayDeque<>(Arrays.asList(arguments));
    while (!left.isEmpty()) {
      String argument = left.pop();
      if (!argument.startsWith("-")) {
        throw new ConfigException("unexpected argument '" + argument + "'");
      }
      int equals = argument.indexOf('=');
      String name = argument.replaceFirst("^--?", "").replaceFirst("=.*", "");
      if (equals >= 0) {
        left.push(argument.substring(equals + 1));
      }
      if (name.equals("version")) {
        printVersion();
        return null;
      }
      take(name, left);
    }
    own.add(isEphemeral ? "--ephemeral" : "--data=" + data);
    own.add("--bind=" + bind);
    if (needsLogin) {
      own.add("--auth");
    } else if (bind.equals("0.0.0.0")) {
      own.add("--insecure"); // as a mongod without --auth is
    }
    return List.copyOf(own);
  }

  private void take(String name, Deque<String> left) {
    switch (name) {
      case "auth" -> needsLogin = true;
      case "bind_ip" -> bind = address(value(name, left));
      case "bind_ip_all" -> bind = "0.0.0.0";
      case "dbpath" -> data = value(name, left);
      case "logpath" -> log = Path.of(value(name, left));
      case "maxConns" -> own.add("--limit=connections=" + value(name, left));
      case "port" -> own.add("--port=" + value(name, left));
      case "replSet" -> {
        own.add("--replica-set=" + value(name, left));
        isReplicaSet = true;
      }
      case "slowms" -> own.add("--slowms=" + value(name, left));
      case "storageEngine" -> isEphemeral = EPHEMERAL.contains(value(name, left));
      default -> ignore(name, left);
    }
  }

  private static void ignore(String name, Deque<String> left) {
    if (VALUES.contains(name)) {
      value(name, left);
    } else if (!FLAGS.contains(name)) {
      throw new ConfigException(
          "mongod's option --" + name + " is not known here; see the options of orrery itself");
    }
  }

  private static String value(String name, Deque<String> left) {
    if (left.isEmpty()) {
      throw new ConfigException("--" + name + " needs a value");
    }
    return left.pop();
  }

  /** We listen on one address; of several, all that are this machine's own are as good as one. */
  private static String address(String list) {
    List<String> addresses = Arrays.asList(list.split(","));
    if (addresses.contains("0.0.0.0") || addresses.contains("::") || addresses.contains("*")) {
      return "0.0.0.0";
    }
    List<String> others =
        addresses.stream()
            .filter(each -> !Set.of("localhost", "127.0.0.1").contains(each))
            .toList();
    if (others.isEmpty()) {
      return "127.0.0.1";
    }
    if (addresses.size() > 1) {
      throw new ConfigException("--bind_ip takes one address here, not " + list);
    }
    return addresses.get(0);
  }

  private void printVersion() {
    out.println("db version v" + ServerFacts.MONGODB_VERSION);
    var info =
        new BsonDocument("version", new BsonString(ServerFacts.MONGODB_VERSION))
            .append("orrery", new BsonString(Version.current()))
            .append("javaVersion", new BsonString(System.getProperty("java.version")));
    out.println("Build Info: " + info.toJson());
  }

  /**
   * Prints the lines by which tools know that a mongod serves, and writes them where they look for
   * the log.
   */
  void ready(int port) throws IOException {
    var lines = new ArrayList<String>();
    if (isReplicaSet) {
      lines.add(
          line("REPL", "Transition to primary complete; database writes are now permitted", null));
    }
    var attributes = new BsonDocument("port", new BsonInt32(port));
    lines.add(line("NETWORK", "Waiting for connections", attributes));
    lines.forEach(out::println);
    if (log != null) {
      PrivateFiles.createDirectories(log.toAbsolutePath().getParent());
      try (FileChannel file = PrivateFiles.openOrCreate(log)) {
        byte[] text = (String.join("\n", lines) + "\n").getBytes(StandardCharsets.UTF_8);
        file.write(ByteBuffer.wrap(text), file.size());
      }
    }
  }

  private static String line(String component, String message, @Nullable BsonDocument attributes) {
    String now = Clock.systemUTC().instant().truncatedTo(ChronoUnit.MILLIS).toString();
    var line =
        new BsonDocument("t", new BsonDocument("$date", new BsonString(now)))
            .append("s", new BsonString("I"))
            .append("c", new BsonString(component))
            .append("ctx", new BsonString(NAME.toLowerCase(Locale.ROOT)))
            .append("msg", new BsonString(message));
    if (attributes != null) {
      line.append("attr", attributes);
    }
    return line.toJson();
  }
}
