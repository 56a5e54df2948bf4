package dev.orrery.server.stream;

import dev.orrery.language.aggregate.stage.ChangeStreamOptions;
import dev.orrery.language.aggregate.stage.ChangeStreamOptions.Image;
import dev.orrery.language.aggregate.stage.ResumeToken;
import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.throughput.RequestCharge;
import dev.orrery.server.throughput.RequestUnits;
import dev.orrery.storage.Change;
import dev.orrery.storage.CommittedGroup;
import dev.orrery.value.FieldPath;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawValue;
import java.util.UUID;
import java.util.function.LongPredicate;
import org.bson.BsonBinary;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.bson.BsonTimestamp;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** Makes events of changes of documents, field by field as MongoDB has them. */
final class Events {
  private final ChangeStreamOptions options;
  private final DocumentLookup lookup;
  private final LongPredicate hasImages;

  Events(ChangeStreamOptions options, DocumentLookup lookup, LongPredicate hasImages) {
    this.options = options;
    this.lookup = lookup;
    this.hasImages = hasImages;
  }

  /** The beginning of every event. */
  BsonDocument begin(
      String type, CommittedGroup group, ResumeToken token, @Nullable UUID collection) {
    var event = new BsonDocument("_id", token.toBson());
    event.append("operationType", new BsonString(type));
    event.append("clusterTime", new BsonTimestamp(group.time()));
    if (options.shown().areMore() && collection != null) {
      event.append("collectionUUID", new BsonBinary(collection));
    }
    return event.append("wallTime", new BsonDateTime(group.millis()));
  }

  static BsonDocument name(Namespace namespace) {
    return new BsonDocument("db", new BsonString(namespace.database()))
        .append("coll", new BsonString(namespace.collection()));
  }

  BsonDocument of(Change.OfDocument change, CommittedGroup group, ResumeToken token) {
    String type = type(change);
    RawDocument key = documentKey(change);
    BsonDocument event = begin(type, group, token, change.collection().uuid());
    TokenTypes.add(event.getDocument("_id"), key);
    boolean isUpdate = type.equals("update");
    RawDocument kept = change.image().before();
    RawDocument image = kept != null && hasImages.test(group.millis()) ? kept : null;
    if (isUpdate) {
      addFullDocument(event, change, image != null);
    } else if (change.kind() != Change.Kind.DELETE) {
      event.append("fullDocument", change.document().toBsonDocument());
    }
    event.append("ns", name(change.collection().namespace()));
    event.append("documentKey", key.toBsonDocument());
    if (isUpdate && options.shown().isRaw()) {
      event.append(
          "rawUpdateDescription",
          new BsonDocument("$v", new BsonInt32(2))
              .append("diff", change.image().delta().toBsonDocument()));
    } else if (isUpdate) {
      event.append(
          "updateDescription",
          UpdateDescription.of(change.image().delta(), options.shown().areMore()));
    }
    if (options.before() != Image.NOT_BEFORE && change.kind() != Change.Kind.INSERT) {
      event.append("fullDocumentBeforeChange", before(event, image));
    }
    return charged(event, change);
  }

  /** The event with what its write cost, where the engine knows and somebody wants to. */
  BsonDocument charged(BsonDocument event, Change.OfDocument change) {
    Change.Effort effort = change.image().effort();
    if (options.shown().areCharges() && effort != null) {
      event.append("requestCharge", new BsonDouble(charge(change, effort).toDouble()));
    }
    return event;
  }

  private static RequestCharge charge(Change.OfDocument change, Change.Effort effort) {
    RequestCharge price =
        switch (change.kind()) {
          case INSERT -> RequestUnits.create(change.document().length(), effort.terms());
          case REPLACE ->
              RequestUnits.replace(
                  effort.bytesBefore(), change.document().length(), 0, effort.terms());
          case DELETE -> RequestUnits.delete(effort.bytesBefore(), effort.terms());
        };
    return price.plus(RequestUnits.uniqueChecks(effort.uniqueIndexes()));
  }

  private static String type(Change.OfDocument change) {
    return switch (change.kind()) {
      case INSERT -> "insert";
      case REPLACE -> change.image().delta() == null ? "replace" : "update";
      case DELETE -> "delete";
    };
  }

  /** The partition key under its dotted path, and {@code _id}. */
  static RawDocument documentKey(Change.OfDocument change) {
    if (change.kind() == Change.Kind.DELETE) {
      return change.document();
    }
    var key = new BsonDocument();
    String path = change.collection().partitionKey();
    if (path != null && !path.equals("_id")) {
      RawValue value = FieldPath.parse(path).find(change.document());
      if (value != null) {
        key.append(path, value.toBsonValue());
      }
    }
    return RawDocument.of(key.append("_id", change.document().field("_id").toBsonValue()));
  }

  private void addFullDocument(BsonDocument event, Change.OfDocument change, boolean isKept) {
    switch (options.fullDocument()) {
      case NONE, NOT_BEFORE -> {}
      case LOOKED_UP -> {
        RawDocument now = lookup.find(change.collection(), change.document());
        event.append("fullDocument", now == null ? BsonNull.VALUE : now.toBsonDocument());
      }
      case IF_KEPT, REQUIRED -> {
        if (!isKept && options.fullDocument() == Image.REQUIRED) {
          throw missing("post-image", "update", event);
        }
        event.append("fullDocument", isKept ? change.document().toBsonDocument() : BsonNull.VALUE);
      }
    }
  }

  private BsonValue before(BsonDocument event, @Nullable RawDocument image) {
    if (image != null) {
      return image.toBsonDocument();
    }
    if (options.before() == Image.REQUIRED) {
      throw missing("pre-image", "update, delete and replace", event);
    }
    return BsonNull.VALUE;
  }

  private static CommandException missing(String what, String kinds, BsonDocument event) {
    return new CommandException(
        ErrorCode.NO_MATCHING_DOCUMENT,
        "Change stream was configured to require a %s for all %s events, but the %s was not found for event: %s"
            .formatted(what, kinds, what, BsonText.document(event)));
  }
}
