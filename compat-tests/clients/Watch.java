import com.mongodb.MongoCommandException;
import com.mongodb.client.MongoChangeStreamCursor;
import com.mongodb.client.MongoClients;
import com.mongodb.client.model.Aggregates;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.Updates;
import com.mongodb.client.model.changestream.ChangeStreamDocument;
import com.mongodb.client.model.changestream.FullDocument;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.Document;

/** Watches with the synchronous driver and prints what it sees, one fact a line. */
public class Watch {
  public static void main(String[] arguments) {
    try (var client = MongoClients.create(arguments[0])) {
      var database = client.getDatabase(arguments[1]);
      var orders = database.getCollection("orders");
      orders.insertOne(new Document("_id", 0));
      ChangeStreamDocument<Document> insert;
      try (MongoChangeStreamCursor<ChangeStreamDocument<Document>> events =
          orders.watch().fullDocument(FullDocument.UPDATE_LOOKUP).cursor()) {
        System.out.println("nothing yet " + events.tryNext());
        orders.insertOne(Document.parse("{_id: 1, tags: ['a', 'b']}"));
        orders.updateOne(Filters.eq(1), Updates.push("tags", "c"));
        insert = events.next();
        ChangeStreamDocument<Document> update = events.next();
        System.out.println(insert.getOperationTypeString() + " " + insert.getFullDocument().toJson());
        System.out.println(
            update.getOperationTypeString() + " " + update.getUpdateDescription().getUpdatedFields());
        System.out.println("looked up " + update.getFullDocument().toJson());
      }
      try (var session = client.startSession()) {
        session.withTransaction(
            () -> orders.insertMany(session, List.of(new Document("_id", 2), new Document("_id", 3))));
      }
      var inserts = List.of(Aggregates.match(Filters.eq("operationType", "insert")));
      try (var events = database.watch(inserts).resumeAfter(insert.getResumeToken()).cursor()) {
        var first = events.next();
        var second = events.next();
        System.out.println("resumed " + first.getDocumentKey() + " " + second.getDocumentKey());
        System.out.println("one transaction " + first.getLsid().equals(second.getLsid()));
      }
      try {
        orders.watch().resumeAfter(BsonDocument.parse("{_data: 'ABCDEF0123456789'}")).cursor();
      } catch (MongoCommandException e) {
        System.out.println("bad token " + e.getErrorCode());
      }
    }
  }
}
