package dev.orrery.server.transfer;

import com.mongodb.client.model.DeleteOneModel;
import com.mongodb.client.model.InsertOneModel;
import com.mongodb.client.model.ReplaceOneModel;
import com.mongodb.client.model.ReplaceOptions;
import com.mongodb.client.model.UpdateOneModel;
import com.mongodb.client.model.UpdateOptions;
import com.mongodb.client.model.WriteModel;
import dev.orrery.server.transfer.source.SourceRecord;
import dev.orrery.value.FieldPath;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawValue;
import java.util.Optional;
import org.bson.BsonDocument;
import org.bson.BsonNull;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.jspecify.annotations.Nullable;

/** A write of one document, and where in the source the document is. */
record ImportWrite(SourceRecord record, RawDocument document, WriteModel<RawBsonDocument> model) {

  /** What the mode makes of a document; nothing for a deletion that says not of what. */
  static Optional<ImportWrite> of(
      SourceRecord record, RawDocument document, ImportOptions options) {
    RawBsonDocument raw = document.asRawBson();
    BsonDocument selector =
        options.mode() == ImportOptions.Mode.INSERT ? null : selector(document, options);
    WriteModel<RawBsonDocument> model =
        switch (options.mode()) {
          case INSERT -> new InsertOneModel<>(raw);
          case UPSERT ->
              selector == null
                  ? new InsertOneModel<>(raw)
                  : new ReplaceOneModel<>(selector, raw, new ReplaceOptions().upsert(true));
          case MERGE ->
              selector == null
                  ? new InsertOneModel<>(raw)
                  : new UpdateOneModel<>(
                      selector,
                      new BsonDocument("$set", withoutId(document)),
                      new UpdateOptions().upsert(true));
          case DELETE -> selector == null ? null : new DeleteOneModel<>(selector);
        };
    return model == null ? Optional.empty() : Optional.of(new ImportWrite(record, document, model));
  }

  /** The fields that tell which stored document is meant, or null if it has none of them. */
  private static @Nullable BsonDocument selector(RawDocument document, ImportOptions options) {
    var selector = new BsonDocument();
    boolean isFound = false;
    for (String field : options.upsertFields()) {
      RawValue value = FieldPath.parse(field).find(document);
      isFound |= value != null;
      selector.append(field, value == null ? BsonNull.VALUE : value.toBsonValue());
    }
    return isFound ? selector : null;
  }

  /** An update may not set the {@code _id}, and an upsert takes it from the selector. */
  private static BsonDocument withoutId(RawDocument document) {
    BsonDocument fields = document.toBsonDocument();
    fields.remove("_id");
    return fields;
  }

  String place() {
    return record.place();
  }

  @Nullable BsonValue id() {
    RawValue id = document.field("_id");
    return id == null ? null : id.toBsonValue();
  }
}
