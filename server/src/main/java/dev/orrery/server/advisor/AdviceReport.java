package dev.orrery.server.advisor;

import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;

/** Advice as a document. */
public final class AdviceReport {
  private AdviceReport() {}

  public static BsonDocument of(KeyAdvice advice) {
    var candidates = new BsonArray();
    advice.verdicts().forEach(verdict -> candidates.add(candidate(verdict, advice)));
    return new BsonDocument("best", new BsonString(advice.best().candidate().name()))
        .append(
            "sample",
            new BsonDocument("documents", new BsonInt64(advice.documents()))
                .append("bytes", new BsonInt64(advice.bytes()))
                .append("requests", new BsonInt64(advice.requests()))
                .append("seconds", new BsonDouble(advice.seconds()))
                .append("partitions", new BsonInt32(advice.partitions()))
                .append("countErrorPercent", new BsonDouble(KeyAdvice.ERROR_PERCENT)))
        .append("pricesOf", new BsonString(advice.prices().date()))
        .append("candidates", candidates);
  }

  private static BsonDocument candidate(Verdict verdict, KeyAdvice advice) {
    var document =
        new BsonDocument("name", new BsonString(verdict.candidate().name()))
            .append("shardCollection", verdict.candidate().toBson())
            .append("possible", BsonBoolean.valueOf(verdict.isPossible()))
            .append("problems", texts(verdict.problems()))
            .append("reasons", texts(verdict.reasons()))
            .append("values", values(verdict.values()))
            .append("load", load(verdict.load()));
    Verdict.Future future = verdict.future();
    var partitions = new BsonArray();
    for (int count : future.partitions()) {
      partitions.add(new BsonInt32(count));
    }
    document.append("partitions", partitions);
    if (Double.isFinite(future.wallDays())) {
      document.append(
          "twentyGigabytes",
          new BsonDocument("value", new BsonString(future.wallValue()))
              .append("days", new BsonDouble(Math.ceil(future.wallDays()))));
    }
    return document.append(
        "monthly",
        new BsonDocument("amount", new BsonDouble(future.monthly()))
            .append("currency", new BsonString(advice.prices().currency())));
  }

  private static BsonDocument values(Verdict.Values values) {
    return new BsonDocument("distinct", new BsonInt64(values.distinct()))
        .append("exact", BsonBoolean.valueOf(values.isExact()))
        .append("largest", new BsonString(values.largest()))
        .append("largestBytes", new BsonDouble(values.largestBytes()))
        .append("missing", new BsonInt64(values.missing()))
        .append("impossible", new BsonInt64(values.impossible()))
        .append("bytesByPartition", numbers(values.bytesByPartition()));
  }

  private static BsonDocument load(Verdict.Load load) {
    var rates = new BsonArray();
    for (Verdict.Rate rate : load.refusedAt()) {
      rates.add(
          new BsonDocument("unitsPerSecond", new BsonInt64(rate.unitsPerSecond()))
              .append("partitions", new BsonInt32(rate.partitions()))
              .append("refused", new BsonDouble(rate.refused())));
    }
    var picture = new BsonArray();
    for (double[] column : load.picture()) {
      picture.add(numbers(column));
    }
    var document = new BsonDocument("requestUnits", new BsonDouble(load.units()));
    if (load.unitsPerSecond() > 0) {
      document.append("unitsPerSecondNeeded", new BsonInt64(load.unitsPerSecond()));
      double share = load.unitsPerSecond() / (double) load.unitsByPartition().length;
      document.append("normalizedP99", new BsonDouble(load.p99() / share));
    }
    Verdict.Refusals refusals = load.refusals();
    document
        .append("busiestPartitionP99", new BsonDouble(load.p99()))
        .append("shareOfBusiestPartition", new BsonDouble(load.shareOfBusiest()))
        .append("readsInOnePartition", new BsonDouble(load.readShare()))
        .append("writesInOnePartition", new BsonDouble(load.writeShare()));
    if (load.hottest() != null) {
      document
          .append("hottest", new BsonString(load.hottest()))
          .append("hottestShare", new BsonDouble(load.hottestShare()));
    }
    return document
        .append(
            "refused",
            new BsonDocument("withoutKey", new BsonInt64(refusals.withoutKey()))
                .append("changedInPlace", new BsonInt64(refusals.changedInPlace()))
                .append("transactions", new BsonInt64(refusals.transactions()))
                .append("spanning", new BsonInt64(refusals.spanning())))
        .append("unitsByPartition", numbers(load.unitsByPartition()))
        .append("refusedAt", rates)
        .append("heat", picture)
        .append("heatSeconds", new BsonInt64(load.columnSeconds()));
  }

  private static BsonArray texts(List<String> texts) {
    return new BsonArray(texts.stream().map(BsonString::new).toList());
  }

  private static BsonArray numbers(double[] numbers) {
    var array = new BsonArray();
    for (double number : numbers) {
      array.add(new BsonDouble(number));
    }
    return array;
  }
}
