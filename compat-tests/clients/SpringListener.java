import com.mongodb.client.MongoClients;
import com.mongodb.client.model.changestream.ChangeStreamDocument;
import com.mongodb.client.model.changestream.FullDocument;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.bson.Document;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.data.mongodb.core.messaging.ChangeStreamRequest;
import org.springframework.data.mongodb.core.messaging.DefaultMessageListenerContainer;
import org.springframework.data.mongodb.core.query.Criteria;
import org.springframework.data.mongodb.core.query.Query;
import org.springframework.data.mongodb.core.query.Update;

/** Listens with Spring Data's message listener and prints what it hears, one fact a line. */
public class SpringListener {
  public static void main(String[] arguments) throws Exception {
    try (var client = MongoClients.create(arguments[0])) {
      var template = new MongoTemplate(client, arguments[1]);
      template.createCollection("orders");
      var container = new DefaultMessageListenerContainer(template);
      container.start();
      BlockingQueue<String> heard = new LinkedBlockingQueue<>();
      var request =
          ChangeStreamRequest.builder(
                  message ->
                      heard.add(
                          ((ChangeStreamDocument<?>) message.getRaw()).getOperationTypeString()
                              + " "
                              + message.getBody()))
              .collection("orders")
              .fullDocumentLookup(FullDocument.UPDATE_LOOKUP)
              .maxAwaitTime(Duration.ofMillis(200))
              .build();
      var subscription = container.register(request, Document.class);
      System.out.println("active " + subscription.await(Duration.ofSeconds(20)));
      template.insert(Document.parse("{_id: 1, total: 5}"), "orders");
      System.out.println(heard.poll(20, TimeUnit.SECONDS));
      var one = Query.query(Criteria.where("_id").is(1));
      template.updateFirst(one, Update.update("total", 6), "orders");
      System.out.println(heard.poll(20, TimeUnit.SECONDS));
      template.remove(one, "orders");
      System.out.println(heard.poll(20, TimeUnit.SECONDS));
      container.stop();
    }
  }
}
