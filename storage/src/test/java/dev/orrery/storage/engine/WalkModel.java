package dev.orrery.storage.engine;

import dev.orrery.value.KeyEncoder;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.bson.BsonDocument;
import org.bson.BsonNull;
import org.bson.BsonValue;

/**
 * What a collection should hold, in plain maps: documents by partition key {@code p} and {@code
 * _id}, and the rule that {@code u} is unique within {@code p}.
 */
final class WalkModel {
  private final boolean isPartitioned;
  private final Map<ByteBuffer, BsonDocument> documents = new HashMap<>();
  private boolean isUnique;

  WalkModel(boolean isPartitioned) {
    this.isPartitioned = isPartitioned;
  }

  void beUnique() {
    isUnique = true;
  }

  /** Whether {@code u} is unique now, so that a unique index can be built. */
  boolean couldBeUnique() {
    return documents.values().stream().map(this::uniqueKey).distinct().count() == documents.size();
  }

  boolean accepts(BsonDocument fresh, BsonDocument replaced) {
    BsonDocument holder = documents.get(key(fresh));
    if (holder != null && holder != replaced) {
      return false;
    }
    return !isUnique
        || documents.values().stream()
            .noneMatch(other -> other != replaced && uniqueKey(other).equals(uniqueKey(fresh)));
  }

  void put(BsonDocument document) {
    documents.put(key(document), document);
  }

  void remove(BsonDocument document) {
    documents.remove(key(document));
  }

  List<BsonDocument> all() {
    return new ArrayList<>(documents.values());
  }

  private ByteBuffer key(BsonDocument document) {
    return encode(isPartitioned ? document.get("p") : null, document.get("_id"));
  }

  private ByteBuffer uniqueKey(BsonDocument document) {
    return encode(isPartitioned ? document.get("p") : null, document.get("u"));
  }

  private static ByteBuffer encode(BsonValue first, BsonValue second) {
    var encoder = new KeyEncoder();
    encoder.append(first == null ? BsonNull.VALUE : first, false);
    encoder.append(second == null ? BsonNull.VALUE : second, false);
    return ByteBuffer.wrap(encoder.toByteArray());
  }
}
