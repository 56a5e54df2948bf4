package dev.orrery.server.stream;

import dev.orrery.language.aggregate.stage.KeyRange;
import dev.orrery.language.aggregate.stage.ResumeToken;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.storage.CollectionIdentity;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.bson.BsonArray;
import org.bson.BsonBinary;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInvalidOperationException;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.json.JsonParseException;
import org.jspecify.annotations.Nullable;

/**
 * A place in a stream as Cosmos DB writes it: {@code {_data: BinData(0, JSON), _kind: 1}}, where
 * the JSON names the collection, a range of partition keys, and a place in their changes.
 */
public final class CosmosToken {
  private static final int VERSION = 2;
  private static final String RANGE_TYPE = "Effective Partition Key Range";
  private static final char INSIDE = '.';

  private CosmosToken() {}

  public static BsonDocument of(ResumeToken token, CollectionIdentity collection) {
    var range =
        new BsonDocument("min", new BsonString(token.range().min()))
            .append("max", new BsonString(token.range().max()));
    var feed = new BsonDocument("type", new BsonString(RANGE_TYPE)).append("value", range);
    var state =
        new BsonDocument("type", new BsonString("continuation"))
            .append("value", new BsonString('"' + place(token) + '"'));
    var continuation = new BsonArray();
    continuation.add(new BsonDocument("FeedRange", feed).append("State", state));
    var data =
        new BsonDocument("V", new BsonInt32(VERSION))
            .append("Rid", new BsonString(resourceId(collection)))
            .append("Continuation", continuation);
    return new BsonDocument("_data", new BsonBinary(compact(data)))
        .append("_kind", new BsonInt32(1));
  }

  /** As JSON without spaces, but those of the name of the range's type. */
  private static byte[] compact(BsonDocument data) {
    String json = data.toJson().replace(" ", "").replace(RANGE_TYPE.replace(" ", ""), RANGE_TYPE);
    return json.getBytes(StandardCharsets.UTF_8);
  }

  /** A whole commit is its cluster time; a place inside of one has that of the event, too. */
  private static String place(ResumeToken token) {
    return token.kind() == ResumeToken.Kind.TIME
        ? Long.toString(token.time())
        : Long.toString(token.time()) + INSIDE + token.index();
  }

  private static String resourceId(CollectionIdentity collection) {
    byte[] id =
        ByteBuffer.allocate(Long.BYTES)
            .putInt(collection.namespace().database().hashCode())
            .putInt(collection.id())
            .array();
    return Base64.getEncoder().encodeToString(id);
  }

  /**
   * Reads a token of that collection.
   *
   * @param collection null when there is none of that name
   */
  public static ResumeToken parse(BsonDocument token, @Nullable CollectionIdentity collection) {
    try {
      String json = new String(token.getBinary("_data").getData(), StandardCharsets.UTF_8);
      BsonDocument data = BsonDocument.parse(json);
      BsonArray continuation = data.getArray("Continuation");
      if (data.getInt32("V").getValue() != VERSION || continuation.size() != 1) {
        throw bad();
      }
      if (collection == null || !data.getString("Rid").getValue().equals(resourceId(collection))) {
        throw expired();
      }
      return parse(continuation.get(0).asDocument());
    } catch (BsonInvalidOperationException | JsonParseException | NumberFormatException e) {
      throw bad();
    }
  }

  private static ResumeToken parse(BsonDocument continuation) {
    BsonDocument range = continuation.getDocument("FeedRange").getDocument("value");
    BsonValue value = continuation.getDocument("State").get("value");
    String place = value.asString().getValue().replace("\"", "");
    int inside = place.indexOf(INSIDE);
    var keys = new KeyRange(range.getString("min").getValue(), range.getString("max").getValue());
    ResumeToken found =
        inside < 0
            ? ResumeToken.upTo(Long.parseLong(place))
            : new ResumeToken(
                Long.parseLong(place.substring(0, inside)),
                Integer.parseInt(place.substring(inside + 1)),
                ResumeToken.Kind.EVENT);
    return found.within(keys);
  }

  private static CommandException bad() {
    return new CommandException(ErrorCode.BAD_VALUE, "Bad resume token");
  }

  /** What Cosmos DB says to a token that is too old, or of a collection that is gone. */
  static CommandException expired() {
    return new CommandException(
        ErrorCode.INVALID_OPTIONS,
        "Expired resume token or cursor, reinitialize the change stream cursor");
  }
}
