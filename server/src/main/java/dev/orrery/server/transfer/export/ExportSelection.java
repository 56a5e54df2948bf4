package dev.orrery.server.transfer.export;

import com.mongodb.client.ClientSession;
import com.mongodb.client.FindIterable;
import com.mongodb.client.MongoClient;
import dev.orrery.value.Namespace;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.RawBsonDocument;
import org.jspecify.annotations.Nullable;

/** Which documents of a collection are exported, and which of their fields. */
public record ExportSelection(
    BsonDocument query, BsonDocument sort, int skip, int limit, List<String> fields) {

  /**
   * @param session null when it is read without one
   */
  FindIterable<RawBsonDocument> find(
      MongoClient client, @Nullable ClientSession session, Namespace namespace) {
    var projection = new BsonDocument();
    fields.forEach(
        field -> projection.append(field.replaceAll("\\.\\d+(?=\\.|$)", ""), new BsonInt32(1)));
    var collection =
        client
            .getDatabase(namespace.database())
            .getCollection(namespace.collection(), RawBsonDocument.class);
    FindIterable<RawBsonDocument> found =
        session == null ? collection.find(query) : collection.find(session, query);
    found = found.skip(skip).limit(limit);
    if (!sort.isEmpty()) {
      found = found.sort(sort);
    }
    return projection.isEmpty() ? found : found.projection(projection);
  }
}
