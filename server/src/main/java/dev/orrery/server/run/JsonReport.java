package dev.orrery.server.run;

import dev.orrery.server.ledger.CostDocuments;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.json.JsonMode;
import org.bson.json.JsonWriterSettings;

/** A report of a run for programs. */
final class JsonReport {
  private JsonReport() {}

  static String of(RunResult result) {
    var document = new BsonDocument("exitCode", new BsonInt32(result.exitCode()));
    document.putAll(CostDocuments.of(result.costs()));
    var budgets = new BsonArray();
    for (BudgetVerdict verdict : result.verdicts()) {
      budgets.add(
          new BsonDocument("kind", new BsonString(verdict.kind()))
              .append("name", new BsonString(verdict.name()))
              .append("limit", new BsonDouble(verdict.limit()))
              .append("requestCharge", new BsonDouble(verdict.spent().toDouble()))
              .append("exceeded", BsonBoolean.valueOf(verdict.isExceeded()))
              .append("reason", new BsonString(verdict.isExceeded() ? verdict.reason() : "")));
    }
    JsonWriterSettings settings =
        JsonWriterSettings.builder().outputMode(JsonMode.RELAXED).indent(true).build();
    return document.append("budgets", budgets).toJson(settings) + "\n";
  }
}
