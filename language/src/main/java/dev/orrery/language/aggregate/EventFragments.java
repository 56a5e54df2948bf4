package dev.orrery.language.aggregate;

import dev.orrery.language.aggregate.stage.ResumeToken;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.value.RawDocument;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;

/** The parts of an event that is too large for one reply, as MongoDB makes them. */
final class EventFragments {
  /** What a document may have inside the server, without room for what surrounds it. */
  private static final int BYTES_MAX = (16 << 20) + (16 << 10) - (8 << 10);

  private static final String ID = "_id";
  private static final String DATA = "_data";

  private EventFragments() {}

  static boolean isSmall(BsonDocument event) {
    return size(event) <= BYTES_MAX;
  }

  private static int size(BsonDocument document) {
    return RawDocument.of(document).length();
  }

  /** Whether a token stands inside of that event. */
  static boolean isAt(BsonDocument event, ResumeToken token) {
    BsonValue id = event.get(ID);
    return id != null
        && id.isDocument()
        && id.asDocument().isString(DATA)
        && ResumeToken.parse(id.asDocument()).equals(token.behind(ResumeToken.WHOLE));
  }

  /** A field, and what it takes. */
  private record Field(String name, BsonValue value, int bytes) {}

  /** At least one: small fields first, and as many into one part as it holds. */
  static List<BsonDocument> of(BsonDocument event) {
    BsonDocument token = event.getDocument(ID);
    ResumeToken whole = ResumeToken.parse(token);
    int bytesMax = BYTES_MAX - size(token);
    var fragments = new ArrayList<BsonDocument>();
    BsonDocument fragment = null;
    int bytes = 0;
    for (Field field : fieldsBySize(event)) {
      if (fragment == null || bytes + field.bytes > bytesMax) {
        fragment = begin(token, whole.behind(fragments.size()), fragments.size() + 1);
        fragments.add(fragment);
        bytes = size(fragment);
      }
      fragment.append(field.name, field.value);
      bytes += field.bytes;
      if (bytes > bytesMax) {
        throw new CommandException(
            ErrorCode.LOCATION_7182500,
            "Splitting change event failed: fragment size %d is greater than maximum allowed fragment size %d"
                .formatted(bytes, bytesMax));
      }
    }
    for (BsonDocument each : fragments) {
      each.getDocument("splitEvent").put("of", new BsonInt32(fragments.size()));
    }
    return fragments;
  }

  private static List<Field> fieldsBySize(BsonDocument event) {
    var fields = new ArrayList<Field>();
    int empty = size(new BsonDocument());
    event.forEach(
        (name, value) -> {
          if (!name.equals(ID)) {
            fields.add(new Field(name, value, size(new BsonDocument(name, value)) - empty));
          }
        });
    fields.sort(Comparator.comparingInt(Field::bytes).thenComparing(Field::name));
    return fields;
  }

  private static BsonDocument begin(BsonDocument token, ResumeToken place, int number) {
    var id = new BsonDocument(DATA, new BsonString(place.data()));
    token.forEach(id::putIfAbsent);
    return new BsonDocument(ID, id)
        .append(
            "splitEvent",
            new BsonDocument("fragment", new BsonInt32(number)).append("of", new BsonInt32(0)));
  }
}
