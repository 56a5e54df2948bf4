package dev.orrery.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orrery.server.ServerConfig.LogLevel;
import dev.orrery.server.ServerConfig.Profile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ServerConfigTest {
  @TempDir private Path directory;

  private static final ServerConfig.Announcement UNANNOUNCED =
      new ServerConfig.Announcement("globaldb", null, List.of());

  @Test
  void everyKeyAndDefaultIsAPromise() {
    String all =
        Arrays.stream(ConfigKey.values())
            .map(key -> key.key() + "=" + key.defaultValue() + " " + key.environmentName() + "\n")
            .collect(Collectors.joining());

    assertThat(all)
        .isEqualTo(
            """
            account= ORRERY_ACCOUNT
            account-key-file= ORRERY_ACCOUNT_KEY_FILE
            account-limits= ORRERY_ACCOUNT_LIMITS
            advertise= ORRERY_ADVERTISE
            auth=false ORRERY_AUTH
            bind=127.0.0.1 ORRERY_BIND
            burst-capacity=false ORRERY_BURST_CAPACITY
            consistency=session ORRERY_CONSISTENCY
            console-hosts= ORRERY_CONSOLE_HOSTS
            console-port=8081 ORRERY_CONSOLE_PORT
            cosmos-rules-off= ORRERY_COSMOS_RULES_OFF
            data=./orrery-data ORRERY_DATA
            ephemeral=false ORRERY_EPHEMERAL
            event-loops=0 ORRERY_EVENT_LOOPS
            insecure=false ORRERY_INSECURE
            limits=now ORRERY_LIMITS
            log-level=warn ORRERY_LOG_LEVEL
            port=27017 ORRERY_PORT
            profile=extended ORRERY_PROFILE
            regions= ORRERY_REGIONS
            replica-set=globaldb ORRERY_REPLICA_SET
            slowms=100 ORRERY_SLOWMS
            store= ORRERY_STORE
            store-password= ORRERY_STORE_PASSWORD
            store-password-file= ORRERY_STORE_PASSWORD_FILE
            temporary= ORRERY_TEMPORARY
            test-commands=false ORRERY_TEST_COMMANDS
            tls=false ORRERY_TLS
            tls-ca= ORRERY_TLS_CA
            tls-cert= ORRERY_TLS_CERT
            tls-key= ORRERY_TLS_KEY
            tls-only=false ORRERY_TLS_ONLY
            limit.change-retention=1d ORRERY_LIMIT_CHANGE_RETENTION
            limit.connections=20000 ORRERY_LIMIT_CONNECTIONS
            limit.log-segment=64MB ORRERY_LIMIT_LOG_SEGMENT
            limit.logical-partition=20GB ORRERY_LIMIT_LOGICAL_PARTITION
            limit.memory=auto ORRERY_LIMIT_MEMORY
            limit.partition-throughput=10000 ORRERY_LIMIT_PARTITION_THROUGHPUT
            limit.physical-partition=50GB ORRERY_LIMIT_PHYSICAL_PARTITION
            """);
  }

  @Test
  void withoutSettingsTheDefaultsApply() {
    ServerConfig config = parse(Map.of());

    assertThat(config.network())
        .isEqualTo(new ServerConfig.Network("127.0.0.1", 27_017, 0, 20_000, UNANNOUNCED));
    assertThat(config.storage())
        .isEqualTo(
            new ServerConfig.Storage(
                Path.of("./orrery-data"), false, ChangeRetention.parse("1d"), null, null));
    assertThat(config.profile()).isEqualTo(Profile.EXTENDED);
    assertThat(config.limits())
        .isEqualTo(new ServerConfig.Limits(64 << 20, 20L << 30, 50L << 30, 10_000, 0));
    assertThat(config.diagnostics().consolePort()).hasValue(8081);
    assertThat(config.diagnostics().consoleHosts()).isEmpty();
    assertThat(config.diagnostics().logLevel()).isEqualTo(LogLevel.WARN);
  }

  @Test
  void clientsAreToldWhatTheServerWasTold() {
    ServerConfig config =
        parse(Map.of(), "--advertise=db.example:27018", "--regions=West US, East US");
    assertThat(config.network().announcement())
        .isEqualTo(
            new ServerConfig.Announcement(
                "globaldb", "db.example:27018", List.of("West US", "East US")));
    assertThat(parse(Map.of(), "--advertise=[::1]:5").network().announcement().address())
        .isEqualTo("[::1]:5");
    for (String wrong : List.of("db", "db:", ":5", "a b:5", "a:b:5", "mongodb://a:5")) {
      assertThatThrownBy(() -> parse(Map.of(), "--advertise=" + wrong))
          .isInstanceOf(ConfigException.class)
          .hasMessageContaining("a host and a port");
    }
  }

  @Test
  void anAccountNeedsItsKeyAndALogin(@TempDir Path directory) throws IOException {
    Path key = Files.writeString(directory.resolve("key"), "c2VjcmV0==\n");
    ServerConfig config = parse(Map.of(), "--account=shop", "--account-key-file=" + key);
    assertThat(config.access().needsLogin()).isTrue();
    assertThat(config.access().account())
        .isEqualTo(new ServerConfig.Account("shop", "c2VjcmV0=="))
        .hasToString("shop");
    assertThatThrownBy(() -> parse(Map.of(), "--account=shop"))
        .hasMessageContaining("need each other");
    Path two = Files.writeString(directory.resolve("two"), "a\nb\n");
    assertThatThrownBy(() -> parse(Map.of(), "--account=shop", "--account-key-file=" + two))
        .hasMessageContaining("one line");
  }

  @Test
  void theLimitsOf2018AreOneSwitch() {
    ServerConfig config = parse(Map.of(), "--limits=2018");
    assertThat(config.limits().logicalPartitionBytes()).isEqualTo(10L << 30);
    assertThat(config.limits().physicalPartitionBytes()).isEqualTo(10L << 30);
    assertThat(config.rules().toCosmosRules().leastWithKey()).isEqualTo(1_000);
    ServerConfig changed = parse(Map.of(), "--limits=2018", "--limit=logical-partition=1MB");
    assertThat(changed.limits().logicalPartitionBytes()).isEqualTo(1 << 20);
    assertThatThrownBy(() -> parse(Map.of(), "--limits=2019")).hasMessageContaining("now or 2018");
  }

  @Test
  void everySettingCanComeFromTheCommandLine() {
    ServerConfig config =
        parse(
            Map.of(),
            "--bind=::1",
            "--port=0",
            "--data=d",
            "--ephemeral",
            "--profile=cosmos",
            "--console-port=off",
            "--console-hosts=Orrery.example, db",
            "--event-loops=3",
            "--log-level=debug",
            "--limit=logical-partition=1MB",
            "--limit",
            "physical-partition=512",
            "--limit",
            "partition-throughput=400",
            "--limit=log-segment=256KB",
            "--limit=change-retention=2h,5GB",
            "--limit=memory=64MB",
            "--limit=connections=7");

    assertThat(config.network()).isEqualTo(new ServerConfig.Network("::1", 0, 3, 7, UNANNOUNCED));
    assertThat(config.storage())
        .isEqualTo(
            new ServerConfig.Storage(
                Path.of("d"), true, new ChangeRetention(7_200_000, 5L << 30), null, null));
    assertThat(config.profile()).isEqualTo(Profile.COSMOS);
    assertThat(config.limits())
        .isEqualTo(new ServerConfig.Limits(256 << 10, 1 << 20, 512, 400, 64 << 20));
    assertThat(config.diagnostics().consolePort()).isEmpty();
    assertThat(config.diagnostics().consoleHosts()).containsOnly("orrery.example", "db");
    assertThat(config.diagnostics().logLevel()).isEqualTo(LogLevel.DEBUG);
  }

  @Test
  void accessIsOpenUnlessAskedFor() {
    assertThat(parse(Map.of()).access())
        .isEqualTo(new ServerConfig.Access(false, false, null, null));
    assertThat(parse(Map.of(), "--auth", "--insecure", "--tls", "--tls-ca=ca").access())
        .isEqualTo(
            new ServerConfig.Access(
                true, true, new ServerConfig.Tls(false, null, null, Path.of("ca")), null));
    assertThat(parse(Map.of(), "--tls-only", "--tls-cert=c", "--tls-key=k").access().tls())
        .isEqualTo(new ServerConfig.Tls(true, Path.of("c"), Path.of("k"), null));
  }

  @Test
  void theCommandLineBeatsTheEnvironmentWhichBeatsTheFile() throws IOException {
    Path file = file("port=1\nbind=file\ndata=file\nlimit.connections=1\n");
    var environment = Map.of("ORRERY_PORT", "2", "ORRERY_BIND", "environment", "PATH", "/nowhere");

    ServerConfig config = parse(environment, "--config", file.toString(), "--port", "3");

    assertThat(config.network().port()).isEqualTo(3);
    assertThat(config.network().bind()).isEqualTo("environment");
    assertThat(config.storage().data()).isEqualTo(Path.of("file"));
    assertThat(config.network().connectionsMax()).isEqualTo(1);
  }

  @Test
  void theEnvironmentCanNameTheFile() throws IOException {
    Path file = file("profile=cosmos\nephemeral=true");
    ServerConfig config = parse(Map.of("ORRERY_CONFIG", file.toString()));
    assertThat(config.profile()).isEqualTo(Profile.COSMOS);
    assertThat(config.storage().isEphemeral()).isTrue();
  }

  @ParameterizedTest
  @CsvSource({
    "1, 1",
    "7B, 7",
    "2KB, 2048",
    "3 MB, 3145728",
    "1gb, 1073741824",
    "4TB, 4398046511104",
    "8388607TB, 9223370937343148032"
  })
  void sizesAreInPowersOf1024(String text, long bytes) {
    ServerConfig config = parse(Map.of("ORRERY_LIMIT_LOGICAL_PARTITION", text));
    assertThat(config.limits().logicalPartitionBytes()).isEqualTo(bytes);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--port=65536 | --port is '65536', but must be a number from 0 to 65535",
        "--port=-1 | --port is '-1', but must be a number from 0 to 65535",
        "--port=x | --port is 'x', but must be a number from 0 to 65535",
        "--port= | --port is '', but must be a number from 0 to 65535",
        "--bind= | --bind is '', but must be a host name or an address",
        "--data= | --data is '', but must be a directory",
        "--console-port=on | must be off, or a number from 0 to 65535",
        "--profile=mongo | --profile is 'mongo', but must be extended or cosmos",
        "--log-level=loud | must be off or error or warn or info or debug",
        "--event-loops=1025 | must be a number from 0 to 1024",
        "--limit=change-retention=1 | must be off, or a time such as 30m",
        "--limit=connections=0 | must be a number from 1 to 1000000",
        "--limit=logical-partition=0 | must be a size such as 500KB, 1MB or 20GB",
        "--limit=logical-partition=1XB | must be a size such as 500KB, 1MB or 20GB",
        "--limit=logical-partition=8388608TB | must be a size such as 500KB, 1MB or 20GB",
        "--limit=logical-partition | needs a value: logical-partition=<value>",
        "--limit=documents=1 | unknown limit documents; known are: change-retention, connections",
        "--account-limits=meta | 'meta' is none of metadata, offer-changes, serverless",
        "--prot=1 | unknown option --prot=1; known are: --account, --account-key-file",
        "check | unknown option check; known are: --account",
        "--tls-ca=a | tls-cert, tls-key and tls-ca need --tls or --tls-only",
        "--tls-key=a | tls-cert and tls-key need each other",
        "--config=/nowhere/at/all | cannot read the configuration file /nowhere/at/all"
      })
  void whatIsNotAllowedIsRefusedWithWhatIs(String argument, String message) {
    assertThatThrownBy(() -> parse(Map.of(), argument))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining(message);
  }

  @Test
  void unknownKeysAreRefusedInTheFile() throws IOException {
    Path file = file("prot=1");
    assertThatThrownBy(() -> parse(Map.of(), "--config", file.toString()))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining(
            "unknown key prot in "
                + file
                + "; known are: account, account-key-file, account-limits");
    assertThatThrownBy(() -> parse(Map.of("ORRERY_EPHEMERAL", "yes")))
        .hasMessage("ORRERY_EPHEMERAL is 'yes', but must be true or false");
  }

  /** Those that Kubernetes makes of a service called orrery. */
  @Test
  void variablesThatAreNotForUsArePassedOver() {
    var environment =
        Map.of(
            "ORRERY_SERVICE_HOST", "10.0.0.1",
            "ORRERY_SERVICE_PORT", "27017",
            "ORRERY_PORT", "tcp://10.0.0.1:27017",
            "ORRERY_PORT_27017_TCP_ADDR", "10.0.0.1",
            "ORRERY_BIND", "127.0.0.2",
            "ORRERY_CONFIG", "",
            "PATH", "/nowhere");
    assertThat(ConfigSources.strangers(environment))
        .containsExactly(
            "ORRERY_PORT",
            "ORRERY_PORT_27017_TCP_ADDR",
            "ORRERY_SERVICE_HOST",
            "ORRERY_SERVICE_PORT");
    var withoutFile = new HashMap<>(environment);
    withoutFile.remove("ORRERY_CONFIG");
    ServerConfig config = parse(withoutFile);
    assertThat(config.network().port()).isEqualTo(27017);
    assertThat(config.network().bind()).isEqualTo("127.0.0.2");
    assertThatThrownBy(() -> parse(Map.of("ORRERY_PORT", "many")))
        .isInstanceOf(ConfigException.class);
  }

  private Path file(String content) throws IOException {
    return Files.writeString(directory.resolve("orrery.properties"), content);
  }

  private static ServerConfig parse(Map<String, String> environment, String... arguments) {
    var parser = new CommandLineParser("1", System.out);
    return CommandLineParser.config(parser.parse(arguments), environment);
  }
}
