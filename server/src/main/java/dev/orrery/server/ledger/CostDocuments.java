package dev.orrery.server.ledger;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt64;
import org.bson.BsonString;

/** What requests cost, as a document for replies and reports. */
public final class CostDocuments {
  private CostDocuments() {}

  /** All of it, the largest first. */
  public static BsonDocument of(Costs costs) {
    BsonDocument document = sum(new BsonDocument(), costs.total());
    document
        .append("collections", sums(Costs.largestFirst(costs.collections())))
        .append("shapes", shapes(costs.shapesLargestFirst()))
        .append("applications", sums(Costs.largestFirst(costs.applications())))
        .append("comments", sums(Costs.largestFirst(costs.comments())));
    var gaps = new BsonArray();
    Comparator<Map.Entry<Costs.Gap, Long>> byPlace =
        Comparator.comparing(entry -> entry.getKey().toString());
    costs.gaps().entrySet().stream()
        .sorted(byPlace)
        .forEach(entry -> gaps.add(gap(entry.getKey(), entry.getValue())));
    var faults = new BsonArray();
    costs.faults().entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .forEach(
            entry ->
                faults.add(
                    new BsonDocument("fault", new BsonString(entry.getKey()))
                        .append("count", new BsonInt64(entry.getValue()))));
    return document.append("notOnCosmos", gaps).append("faults", faults);
  }

  private static BsonDocument gap(Costs.Gap gap, long count) {
    return new BsonDocument("rule", new BsonString(gap.rule()))
        .append("place", new BsonString(gap.place()))
        .append("words", new BsonString(gap.words()))
        .append("count", new BsonInt64(count));
  }

  private static BsonDocument sum(BsonDocument document, Sum sum) {
    return document
        .append("requestCharge", new BsonDouble(sum.charge().toDouble()))
        .append("requests", new BsonInt64(sum.requests()))
        .append("throttled", new BsonInt64(sum.refused()));
  }

  private static BsonArray sums(List<Map.Entry<String, Sum>> sums) {
    var list = new BsonArray();
    for (Map.Entry<String, Sum> entry : sums) {
      list.add(sum(new BsonDocument("name", new BsonString(entry.getKey())), entry.getValue()));
    }
    return list;
  }

  private static BsonArray shapes(List<Map.Entry<String, ShapeCost>> shapes) {
    var list = new BsonArray();
    for (Map.Entry<String, ShapeCost> entry : shapes) {
      ShapeCost cost = entry.getValue();
      list.add(
          sum(new BsonDocument("name", new BsonString(entry.getKey())), cost.sum())
              .append("dearest", new BsonDouble(cost.dearest().toDouble()))
              .append("effort", cost.effort().toBson()));
    }
    return list;
  }
}
