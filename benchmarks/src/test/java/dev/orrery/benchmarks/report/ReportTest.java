package dev.orrery.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.benchmarks.report.Results.Case;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.xml.sax.InputSource;

class ReportTest {
  private static final Machine MACHINE =
      new Machine("a processor", 2, 16, "Linux 6", "17", "ext4, 100 GB", 0.5);
  private static final Case OURS = new Case("point-read", "64 connections", "orrery");
  private final Results results = new Results();

  ReportTest() {
    add("orrery", 0, 10, 50_000);
    add("ceiling", 0, 8, 60_000);
    add("orrery", 1, 12, 40_000);
    add("ceiling", 1, 8, 50_000);
    add("orrery", 2, 16, 30_000);
    add("ceiling", 2, 8, 50_000);
  }

  private void add(String target, int round, double micros, double perSecond) {
    var values = Map.of(Metric.SERVER_CPU_MICROS, micros, Metric.REQUESTS_PER_SECOND, perSecond);
    results.add(new Sample("point-read", "64 connections", target, round, values));
  }

  @Test
  void ratiosAreTakenRoundByRound() {
    var ratio = results.ratio(OURS, OURS.of("ceiling"), Metric.SERVER_CPU_MICROS);
    assertThat(ratio).contains(new Spread(1.5, 1.25, 2));
  }

  @Test
  void aWorkloadThatIsMeasuredAgainReplacesItsEarlierSamples(@TempDir Path directory)
      throws Exception {
    results.add(new Sample("find", "sort", "orrery", 0, Map.of(Metric.P50_MICROS, 3.0)));
    new Report(results, MACHINE, "run").writeTo(directory);
    EarlierRun earlier = EarlierRun.read(directory.resolve("results.json"));
    assertThat(earlier.command()).isEqualTo("run");
    assertThat(earlier.results().samples()).isEqualTo(results.samples());

    var again = new Results();
    var faster = new Sample("point-read", "64 connections", "orrery", 0, Map.of());
    again.add(faster);
    Results all = earlier.results().replacedBy(again, List.of("point-read", "find"));
    assertThat(all.samples()).containsExactly(faster, results.samples().get(6));
  }

  @Test
  void theMedianOfAnEvenNumberIsBetween() {
    assertThat(Spread.of(List.of(4.0, 1.0, 3.0, 2.0))).isEqualTo(new Spread(2.5, 1, 4));
  }

  @Test
  void markdownTellsGoalsReachedNotReachedAndNotMeasured() {
    String text = new Report(results, MACHINE, "java -jar x.jar run").markdown();
    assertThat(text)
        .contains("java -jar x.jar run")
        .contains("2 processors (a processor), 16 GB of memory, Linux 6, JDK 17, disk ext4")
        .contains(
            "| Point read, CPU per request over the ceiling's | at most 1.40"
                + " | 1.50 (1.25 to 2.00) | no |")
        .contains(
            "| Point read, requests/s over the ceiling's | at least 0.80"
                + " | 0.80 (0.60 to 0.83) | yes |")
        .contains("| Seconds to ready | at most 1.00 | not measured |  |")
        .contains("| point-read, 64 connections | ceiling | 50,000 | 8.00 |");
  }

  /** A goal that names neither keys nor partitions holds for all that are measured. */
  @Test
  void goalsAreForAllKeysAndPartitions() {
    String text = new Report(results, MACHINE, "run").markdown();
    for (String keys : List.of("zipfian", "uniform")) {
      assertThat(text).contains("| YCSB A, " + keys + " keys, requests per CPU second over");
      assertThat(text).contains("| YCSB E, " + keys + " keys, requests per CPU second over");
    }
    assertThat(text)
        .contains("| YCSB D, latest keys, requests per CPU second over")
        .contains("| YCSB D, uniform keys, requests per CPU second over")
        .contains("| Bulk load into 1 partition, MB of documents per CPU second | at least 150 |")
        .contains(
            "| Bulk load into 16 partitions, MB of documents per CPU second | at least 150 |");
  }

  @Test
  void goalsOfPipelinesTellHowManyDocumentsTheyRead() {
    String variant = "$sort + $limit on 1,000,000 documents";
    for (var cost : Map.of("orrery", 10.0, "mongo-java-server", 250.0).entrySet()) {
      var values = Map.of(Metric.SERVER_CPU_MICROS, cost.getValue());
      results.add(new Sample("aggregate", variant, cost.getKey(), 0, values));
    }
    assertThat(new Report(results, MACHINE, "run").markdown())
        .contains(
            "| $sort + $limit on 1,000,000 documents, per CPU second over mongo-java-server's"
                + " | at least 1.00 | 25.0 | yes |")
        .contains(
            "| $unwind + $group, per CPU second over mongo-java-server's | at least 1.00"
                + " | not measured |  |");
  }

  @Test
  void jsonHoldsEverySample() {
    BsonDocument json = BsonDocument.parse(JsonReport.text(results, MACHINE, "run"));
    assertThat(json.getArray("samples")).hasSize(6);
    assertThat(json.getArray("goals")).hasSize(2);
    assertThat(json.getString("machine").getValue()).contains("2 processors");
    BsonDocument sample = json.getArray("samples").get(0).asDocument();
    assertThat(sample.getDocument("values").getDouble("server CPU, us/request").getValue())
        .isEqualTo(10);
  }

  @Test
  void writesItsFiles(@TempDir Path directory) throws Exception {
    add("mongo-java-server", 0, 20, 20_000);
    for (int partitions : new int[] {1, 4, 16}) {
      var values = Map.of(Metric.SERVER_CPU_MICROS, 10.0 * partitions);
      results.add(new Sample("fan-out", "all, " + partitions + " partitions", "orrery", 0, values));
    }
    new Report(results, MACHINE, "run").writeTo(directory);
    assertThat(directory.resolve("results.json")).exists();
    assertThat(directory.resolve("results.md")).exists();
    for (String plot : new String[] {"cpu", "throughput", "fan-out"}) {
      requireImage(Files.readString(directory.resolve(plot + ".svg")));
    }
    assertThat(directory.resolve("latency.svg")).doesNotExist();
  }

  @Test
  void replacesTheTablesInADocument(@TempDir Path directory) throws Exception {
    Path document = directory.resolve("benchmarks.md");
    Files.writeString(document, "before\n" + Report.BEGIN + "old\n" + Report.END + "after\n");
    new Report(results, MACHINE, "run it").insertInto(document);
    assertThat(Files.readString(document))
        .startsWith("before\n" + Report.BEGIN)
        .contains("run it")
        .contains("[cpu](../benchmarks/results/cpu.svg)")
        .doesNotContain("old")
        .endsWith(Report.END + "after\n");
  }

  private static void requireImage(String svg) throws Exception {
    var builder = DocumentBuilderFactory.newInstance().newDocumentBuilder();
    var root = builder.parse(new InputSource(new StringReader(svg))).getDocumentElement();
    assertThat(root.getTagName()).isEqualTo("svg");
    assertThat(root.getElementsByTagName("text").getLength()).isGreaterThan(5);
    assertThat(svg).doesNotContain("NaN").doesNotContain("Infinity");
  }
}
