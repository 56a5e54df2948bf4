package dev.orrery.benchmarks.workload;

import dev.orrery.benchmarks.servers.Target;
import java.io.IOException;
import java.util.List;
import java.util.SplittableRandom;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;

/** Orders of about 400 bytes with their items, and the customers who gave them. */
final class Orders {
  static final String ORDERS = "orders";
  static final String CUSTOMERS = "customers";
  static final int DAYS = 365;

  private static final int ORDERS_PER_CUSTOMER = 50;
  private static final int PRODUCTS = 1000;
  private static final int ITEMS = 3;
  private static final long STEP = 1_000_003; // a prime larger than any number of orders at scale 1
  private static final List<String> STATES = List.of("open", "paid", "sent", "done", "lost");
  private static final String NOTE = "leave it with the neighbours ".repeat(4);

  private final int count;

  Orders(int count) {
    this.count = count;
  }

  int count() {
    return count;
  }

  void load(Target target) throws IOException {
    Loading.dropDatabase(target);
    Loading.index(target, ORDERS, "number");
    Loading.index(target, ORDERS, "day");
    Loading.index(target, CUSTOMERS, "code");
    Loading.insert(target, ORDERS, count, this::order);
    Loading.insert(target, CUSTOMERS, customers(), Orders::customer);
  }

  private int customers() {
    return Math.max(1, count / ORDERS_PER_CUSTOMER);
  }

  private BsonDocument order(long id) {
    var random = new SplittableRandom(id);
    var items = new BsonArray();
    for (int i = 0; i < ITEMS; i++) {
      items.add(
          new BsonDocument("sku", new BsonInt32(random.nextInt(PRODUCTS)))
              .append("quantity", new BsonInt32(1 + random.nextInt(9))));
    }
    return new BsonDocument("_id", new BsonInt64(id))
        .append("number", new BsonInt32((int) (id * STEP % count)))
        .append("customer", new BsonInt32(random.nextInt(customers())))
        .append("day", new BsonInt32(random.nextInt(DAYS)))
        .append("status", new BsonString(STATES.get(random.nextInt(STATES.size()))))
        .append("amount", new BsonDouble(random.nextInt(1_000_000) / 100.0))
        .append("items", items)
        .append("note", new BsonString(NOTE));
  }

  private static BsonDocument customer(long code) {
    return new BsonDocument("_id", new BsonInt64(code))
        .append("code", new BsonInt32((int) code))
        .append("name", new BsonString("customer number " + code))
        .append("city", new BsonString("Springfield"));
  }
}
