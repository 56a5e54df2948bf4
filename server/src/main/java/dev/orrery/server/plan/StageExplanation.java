package dev.orrery.server.plan;

import dev.orrery.language.number.Numbers;
import dev.orrery.language.query.Filter;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** One node's part of explain's answer, in MongoDB's order: name, filter, counters, the rest. */
final class StageExplanation {
  private final Query query;
  private final @Nullable StageStatistics statistics;
  private final BsonDocument head = new BsonDocument();
  private final BsonDocument fields = new BsonDocument();

  /**
   * @param statistics null if the plan was not run
   */
  StageExplanation(Query query, @Nullable StageStatistics statistics) {
    this.query = query;
    this.statistics = statistics;
  }

  StageExplanation stage(String name) {
    head.append("stage", new BsonString(name));
    return this;
  }

  StageExplanation filter(Filter filter) {
    boolean isWhole = filter == query.criteria().filter();
    BsonDocument text = isWhole ? FilterText.parsedQuery(query) : FilterText.document(filter);
    if (!text.isEmpty()) {
      head.append("filter", text);
    }
    return this;
  }

  StageExplanation add(String name, BsonValue value) {
    fields.append(name, value);
    return this;
  }

  /** A field that only a plan has that was run. */
  void count(String name, ToLongFunction<StageStatistics> counter) {
    counter(name, counted -> Numbers.intOrLong(counter.applyAsLong(counted)));
  }

  void counter(String name, BsonValue value) {
    counter(name, counted -> value);
  }

  void counter(String name, Function<StageStatistics, BsonValue> counter) {
    if (statistics != null) {
      fields.append(name, counter.apply(statistics));
    }
  }

  BsonDocument build() {
    if (statistics != null) {
      head.append("nReturned", Numbers.intOrLong(statistics.advanced))
          .append("executionTimeMillisEstimate", Numbers.intOrLong(statistics.nanos / 1_000_000))
          .append("works", Numbers.intOrLong(statistics.works()))
          .append("advanced", Numbers.intOrLong(statistics.advanced))
          .append("needTime", Numbers.intOrLong(statistics.skipped))
          .append("needYield", new BsonInt32(0))
          .append("saveState", new BsonInt32(0))
          .append("restoreState", new BsonInt32(0))
          .append("isEOF", new BsonInt32(statistics.isAtEnd ? 1 : 0));
    }
    head.putAll(fields);
    return head;
  }

  static BsonValue flag(boolean value) {
    return BsonBoolean.valueOf(value);
  }
}
