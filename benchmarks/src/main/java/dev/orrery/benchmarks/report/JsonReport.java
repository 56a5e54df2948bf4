package dev.orrery.benchmarks.report;

import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.json.JsonMode;
import org.bson.json.JsonWriterSettings;

/** All samples and goals, for other programs. */
final class JsonReport {
  private JsonReport() {}

  static String text(Results results, Machine machine, String command) {
    var samples = new BsonArray();
    results.samples().forEach(sample -> samples.add(sample(sample)));
    var goals = new BsonArray();
    for (Goal goal : Goals.all(results)) {
      goal.measure().apply(results).ifPresent(spread -> goals.add(goal(goal, spread)));
    }
    var report =
        new BsonDocument("machine", new BsonString(machine.toString()))
            .append("command", new BsonString(command))
            .append("goals", goals)
            .append("samples", samples);
    var settings = JsonWriterSettings.builder().outputMode(JsonMode.RELAXED).indent(true).build();
    return report.toJson(settings) + "\n";
  }

  private static BsonDocument sample(Sample sample) {
    var values = new BsonDocument();
    for (Metric metric : Metric.values()) {
      Double value = sample.values().get(metric);
      if (value != null) {
        values.append(metric.label(), number(value));
      }
    }
    return new BsonDocument("workload", new BsonString(sample.workload()))
        .append("variant", new BsonString(sample.variant()))
        .append("target", new BsonString(sample.target()))
        .append("round", new BsonInt32(sample.round()))
        .append("values", values);
  }

  private static BsonDocument goal(Goal goal, Spread spread) {
    return new BsonDocument("goal", new BsonString(goal.name()))
        .append("demand", new BsonString(goal.demand()))
        .append("median", number(spread.median()))
        .append("least", number(spread.least()))
        .append("greatest", number(spread.greatest()))
        .append("reached", BsonBoolean.valueOf(goal.isReached(spread.median())));
  }

  /** Four digits after the point are more than any of these numbers is worth. */
  private static BsonDouble number(double value) {
    return new BsonDouble(Math.round(value * 1e4) / 1e4);
  }
}
