package dev.orrery.benchmarks.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/**
 * What an earlier run left behind, so that some of its workloads can be measured again without the
 * others.
 *
 * @param command how it was called, a line for each time
 */
public record EarlierRun(Results results, String command) {
  /** Reads what {@link JsonReport} wrote. */
  public static EarlierRun read(Path json) throws IOException {
    BsonDocument report = BsonDocument.parse(Files.readString(json));
    var results = new Results();
    for (BsonValue sample : report.getArray("samples")) {
      results.add(sample(sample.asDocument()));
    }
    return new EarlierRun(results, report.getString("command").getValue());
  }

  private static Sample sample(BsonDocument sample) {
    Map<Metric, Double> values = new EnumMap<>(Metric.class);
    BsonDocument numbers = sample.getDocument("values");
    for (Metric metric : Metric.values()) {
      if (numbers.containsKey(metric.label())) {
        values.put(metric, numbers.getNumber(metric.label()).doubleValue());
      }
    }
    return new Sample(
        sample.getString("workload").getValue(),
        sample.getString("variant").getValue(),
        sample.getString("target").getValue(),
        sample.getNumber("round").intValue(),
        values);
  }
}
