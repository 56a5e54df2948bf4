package dev.orrery.server.command.schema;

import dev.orrery.server.stream.StreamAnnouncement;
import dev.orrery.storage.catalog.CollectionInfo;
import org.bson.BsonBinary;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.UuidRepresentation;
import org.jspecify.annotations.Nullable;

/** What change streams are told of a {@code collMod}: what was asked for, and how it was before. */
final class CollModEvent {
  private CollModEvent() {}

  static StreamAnnouncement of(CollectionInfo before, CollModParams params) {
    var description = new BsonDocument();
    if (params.index() != null) {
      description.append("index", index(params.index()));
    }
    if (before.isView()) {
      append(description, params, "viewOn");
      append(description, params, "pipeline");
    } else {
      description.putAll(params.given());
    }
    if (params.expireAfterSeconds() != null) {
      description.append("expireAfterSeconds", params.expireAfterSeconds().toBsonValue());
    }
    var details = new BsonDocument("operationDescription", description);
    if (before.isView()) {
      return StreamAnnouncement.modify(before.namespace(), null, details);
    }
    var options = new BsonDocument();
    options.append("uuid", new BsonBinary(before.uuid(), UuidRepresentation.STANDARD));
    options.putAll(before.options());
    var state = new BsonDocument("collectionOptions", options);
    if (params.index() != null) {
      state.append("indexOptions", indexBefore(before, params.index()));
    }
    details.append("stateBeforeChange", state);
    return StreamAnnouncement.modify(before.namespace(), before.uuid(), details);
  }

  private static void append(BsonDocument description, CollModParams params, String field) {
    if (params.given().containsKey(field)) {
      description.append(field, params.given().get(field));
    }
  }

  private static BsonDocument index(CollModParams.Index index) {
    var document = new BsonDocument();
    if (index.name() != null) {
      document.append("name", new BsonString(index.name()));
    }
    if (index.keyPattern() != null) {
      document.append("keyPattern", index.keyPattern());
    }
    if (index.expireAfterSeconds() != null) {
      document.append("expireAfterSeconds", new BsonInt64(index.expireAfterSeconds()));
    }
    append(document, "hidden", index.hidden());
    append(document, "unique", index.unique());
    append(document, "prepareUnique", index.prepareUnique());
    return document;
  }

  private static void append(BsonDocument document, String name, @Nullable Boolean flag) {
    if (flag != null) {
      document.append(name, BsonBoolean.valueOf(flag));
    }
  }

  /** Of what is to change, how it was. */
  private static BsonDocument indexBefore(CollectionInfo info, CollModParams.Index index) {
    var before = new BsonDocument();
    for (CollectionInfo.IndexEntry entry : info.indexes()) {
      BsonDocument spec = entry.spec().document();
      boolean isMeant =
          index.name() != null
              ? entry.spec().name().equals(index.name())
              : spec.getDocument("key").equals(index.keyPattern());
      if (!isMeant) {
        continue;
      }
      if (index.expireAfterSeconds() != null && spec.containsKey("expireAfterSeconds")) {
        long seconds = spec.getNumber("expireAfterSeconds").longValue();
        before.append("expireAfterSeconds", new BsonInt64(seconds));
      }
      if (index.hidden() != null) {
        before.append("hidden", spec.getBoolean("hidden", BsonBoolean.FALSE));
      }
      if (index.prepareUnique() != null) {
        before.append("prepareUnique", spec.getBoolean("prepareUnique", BsonBoolean.FALSE));
      }
    }
    return before;
  }
}
