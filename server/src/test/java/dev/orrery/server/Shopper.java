package dev.orrery.server;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Indexes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.bson.Document;

/** A program that uses a database: what {@code orrery run} runs in tests. */
final class Shopper {
  private static final int ORDERS = 200;

  private Shopper() {}

  /** With {@code index} there is one; any other argument is an exit code. */
  public static void main(String[] arguments) {
    List<String> given = Arrays.asList(arguments);
    String uri = System.getenv("MONGODB_URI");
    try (MongoClient client = MongoClients.create(uri + "?appName=shopper")) {
      MongoCollection<Document> orders = client.getDatabase("shop").getCollection("orders");
      if (given.contains("index")) {
        orders.createIndex(Indexes.ascending("customer"));
      }
      String note = "-".repeat(400);
      var documents = new ArrayList<Document>();
      for (int i = 0; i < ORDERS; i++) {
        documents.add(
            new Document("_id", i)
                .append("customer", "c" + i)
                .append("total", i)
                .append("note", note));
      }
      orders.insertMany(documents);
      orders.find(new Document("customer", "c" + (ORDERS - 1))).comment("checkout").first();
      orders
          .aggregate(
              List.of(Document.parse("{$bucket: {groupBy: '$total', boundaries: [0, 50, 1000]}}")))
          .into(new ArrayList<>());
    }
    given.stream()
        .filter(each -> !each.equals("index"))
        .findFirst()
        .ifPresent(code -> System.exit(Integer.parseInt(code)));
  }
}
