package dev.orrery.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.mongodb.client.MongoDatabase;
import org.bson.Document;
import org.junit.jupiter.api.Test;

@OrreryTest
class ShopTest {
  @Test
  @MaxRequestUnits(10)
  void findsWhatItStored(MongoDatabase shop) {
    shop.getCollection("orders").insertOne(new Document("_id", 1).append("total", 7));
    Document order = shop.getCollection("orders").find(new Document("_id", 1)).first();
    assertEquals(7, order.getInteger("total"));
  }
}
