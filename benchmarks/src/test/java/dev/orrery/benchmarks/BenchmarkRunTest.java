package dev.orrery.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orrery.benchmarks.client.CommandConnection;
import dev.orrery.benchmarks.servers.ClassPathOrrery;
import dev.orrery.benchmarks.servers.ServerProcess;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@EnabledOnOs(OS.LINUX) // CPU time is read from /proc
class BenchmarkRunTest {
  private static final String CPU = "server CPU, us/request";

  @TempDir private Path directory;

  @Test
  void eitherClientMeasuresAServerThatRunsAlready() throws Exception {
    var java = new ArrayList<>(ClassPathOrrery.java());
    Path data = directory.resolve("data");
    java.addAll(List.of("--port", "0", "--console-port", "off", "--data", data.toString()));
    try (ServerProcess other = ServerProcess.start(java)) {
      assertMeasured(run("lean", other.address(), ""));
      assertThat(greetings(other.address())).isZero();
      Path earlier = directory.resolve("lean").resolve("results.json");
      BsonDocument both = run("driver", other.address(), "--keep=" + earlier);
      assertMeasured(both);
      assertThat(greetings(other.address())).isPositive();
      assertThat(both.getString("command").getValue().lines()).hasSize(2);
    }
  }

  private BsonDocument run(String client, InetSocketAddress other, String keep) throws Exception {
    String target = "other=mongodb://%s:%d".formatted(other.getHostString(), other.getPort());
    Path results = directory.resolve(client);
    List<String> words =
        List.of(
            "--workload=point-read --servers=orrery --connections=2 --rounds=1 --seconds=0.05",
            "--scale=0.1 --client=" + client + " " + keep,
            "--target=" + target,
            "--results=" + results,
            "--directory=" + directory.resolve("servers"));
    new BenchmarkRun(options(String.join(" ", words)), ClassPathOrrery.java()).run();
    try (Stream<Path> left = Files.list(directory.resolve("servers"))) {
      assertThat(left).isEmpty();
    }
    return BsonDocument.parse(Files.readString(results.resolve("results.json")));
  }

  /** Linux tells the CPU time of what the harness started only. */
  private static void assertMeasured(BsonDocument report) {
    List<BsonDocument> samples =
        report.getArray("samples").stream().map(sample -> sample.asDocument()).toList();
    assertThat(samples)
        .extracting(sample -> sample.getString("target").getValue())
        .containsOnly("other", "orrery");
    for (BsonDocument sample : samples) {
      BsonDocument values = sample.getDocument("values");
      assertThat(values.getDouble("requests/s").getValue()).isPositive();
      boolean isOther = sample.getString("target").getValue().equals("other");
      assertThat(values.containsKey(CPU)).isEqualTo(!isOther);
    }
  }

  /** How often a client has introduced itself, as drivers do and the lean client does not. */
  private static long greetings(InetSocketAddress server) throws IOException {
    try (var connection = new CommandConnection(server)) {
      BsonDocument status =
          connection.run("admin", new BsonDocument("serverStatus", new BsonInt32(1)));
      BsonDocument commands = status.getDocument("metrics").getDocument("commands");
      return Stream.of("hello", "isMaster")
          .filter(commands::containsKey)
          .collect(
              Collectors.summingLong(
                  name -> commands.getDocument(name).getNumber("total").longValue()));
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--workload=ycsb-z | no ycsb-z for --workload; there are [point-read, ycsb-a,",
        "--servers=mongod | no mongod for --servers; there are [orrery,",
        "--client=shell | no shell for --client; there are [lean, driver]",
        "--rounds=few | --rounds takes a number, not few",
        "--connections=1,many | --connections takes a number, not many",
        "--target=mongodb://127.0.0.1:1 | --target takes NAME=mongodb://HOST:PORT, not mongodb",
        "--target=a=mongodb://127.0.0.1 | --target takes NAME=mongodb://HOST:PORT, not a=",
        "--keep=none.json | --keep takes the results.json of an earlier run: java.nio.file.NoSuch",
        "--round=1 | no option --round; there are [before, client,",
      })
  void refusesWhatItDoesNotKnow(String words, String message) {
    Options options = options(words);
    assertThatThrownBy(() -> new BenchmarkRun(options))
        .isInstanceOf(Options.Refused.class)
        .hasMessageStartingWith(message);
  }

  private static Options options(String words) {
    return Options.parse(List.of(words.split(" +")));
  }
}
