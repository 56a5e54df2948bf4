package dev.orrery.benchmarks.workload;

import dev.orrery.benchmarks.servers.Fleet;
import dev.orrery.benchmarks.servers.Kind;
import dev.orrery.benchmarks.servers.Target;
import dev.orrery.benchmarks.workload.NumberTraffic.Range;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.function.IntFunction;
import org.bson.BsonDocument;

/** Commands that read orders: finds, or pipelines. */
final class Queries implements Workload {
  private static final int RANGE = 100;
  private static final int LEAST_ORDER_BYTES = 300;

  /**
   * A command with the marks of {@link NumberTraffic} in it.
   *
   * @param range the numbers to put in, for a number of orders
   */
  private record Query(String variant, String command, IntFunction<Range> range) {
    NumberTraffic traffic(int orders) {
      String text =
          command.replace("FROM", "" + NumberTraffic.FROM).replace("TO", "" + NumberTraffic.TO);
      return new NumberTraffic(BsonDocument.parse(text), range.apply(orders));
    }
  }

  static final String AGGREGATE = "aggregate";

  private final String name;
  private final int ordersAtScaleOne;
  private final int connections;
  private final List<Query> queries;

  private Queries(String name, int ordersAtScaleOne, int connections, List<Query> queries) {
    this.name = name;
    this.ordersAtScaleOne = ordersAtScaleOne;
    this.connections = connections;
    this.queries = queries;
  }

  static Queries finds() {
    return new Queries(
        "find",
        50_000,
        8,
        List.of(
            new Query(
                "by indexed field",
                "{find: 'orders', filter: {number: FROM}, limit: 1, singleBatch: true}",
                orders -> new Range(orders, 0, LEAST_ORDER_BYTES)),
            new Query(
                "index range of 100",
                "{find: 'orders', filter: {number: {$gte: FROM, $lt: TO}}, batchSize: 101}",
                orders -> new Range(orders - RANGE, RANGE, RANGE * LEAST_ORDER_BYTES)),
            new Query(
                "sort and limit 10",
                "{find: 'orders', filter: {day: FROM}, sort: {amount: -1}, limit: 10}",
                orders -> new Range(Orders.DAYS, 0, LEAST_ORDER_BYTES))));
  }

  /** A pipeline that reads everything has a number nevertheless, in its comment. */
  static Queries aggregations() {
    return new Queries(
        AGGREGATE,
        100_000,
        1,
        List.of(
            new Query(
                "$match + $group",
                """
                {aggregate: 'orders', cursor: {}, pipeline: [
                  {$match: {day: {$gte: FROM, $lt: TO}}},
                  {$group: {_id: '$status', orders: {$sum: 1}, total: {$sum: '$amount'}}}]}""",
                orders -> new Range(Orders.DAYS - 30, 30, LEAST_ORDER_BYTES)),
            new Query(
                "$lookup by index",
                """
                {aggregate: 'orders', cursor: {}, pipeline: [
                  {$match: {number: {$gte: FROM, $lt: TO}}},
                  {$lookup: {from: 'customers', localField: 'customer', foreignField: 'code',
                    as: 'who'}},
                  {$group: {_id: '$who.city', orders: {$sum: 1}}}]}""",
                orders -> new Range(orders - 1000, 1000, RANGE)),
            new Query(
                "$sort + $limit",
                """
                {aggregate: 'orders', cursor: {}, comment: FROM, pipeline: [
                  {$sort: {amount: -1}}, {$limit: 10}]}""",
                orders -> new Range(RANGE, 0, 10 * LEAST_ORDER_BYTES)),
            new Query(
                "$unwind + $group",
                """
                {aggregate: 'orders', cursor: {}, comment: FROM, pipeline: [
                  {$unwind: '$items'},
                  {$group: {_id: '$items.sku', sold: {$sum: '$items.quantity'}}},
                  {$group: {_id: null, products: {$sum: 1}, sold: {$sum: '$sold'}}}]}""",
                orders -> new Range(RANGE, 0, 50))));
  }

  @Override
  public String name() {
    return name;
  }

  /** The load of one query, by its variant. */
  Steady steady(String variant, int orders) {
    Query query =
        queries.stream().filter(one -> one.variant().equals(variant)).findFirst().orElseThrow();
    return steady(query, orders);
  }

  private Steady steady(Query query, int orders) {
    // How many documents a pipeline reads is half of what its time says.
    String variant =
        name.equals(AGGREGATE)
            ? String.format(Locale.ROOT, "%s on %,d documents", query.variant(), orders)
            : query.variant();
    return new Steady(name, variant, connections, target -> query.traffic(orders));
  }

  @Override
  public void run(Bench bench) throws IOException {
    var orders = new Orders(bench.plan().documents(ordersAtScaleOne));
    try (Fleet fleet = bench.fleet(Kind.ORRERY, Kind.MEMORY)) {
      for (Target target : fleet.targets()) {
        orders.load(target);
      }
      for (Query query : queries) {
        bench.interleave(steady(query, orders.count()), fleet.targets());
      }
    }
  }
}
