package shop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoDatabase;
import dev.orrery.testkit.Orrery;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@SpringBootTest
class OrdersTest {
  @Configuration
  @EnableAutoConfiguration
  static class Shop {
    @Bean
    Orrery orrery() {
      return Orrery.start(); // closed with the context
    }
  }

  @Autowired private MongoClient client;
  @Autowired private Orrery orrery;

  @Test
  void findsWhatItStored() {
    MongoDatabase shop = client.getDatabase("shop");
    shop.getCollection("orders").insertOne(new Document("_id", 1).append("total", 7));
    var spending = orrery.count(shop);
    assertEquals(7, shop.getCollection("orders").find().first().getInteger("total"));
    spending.requireAtMost(5);
  }
}
