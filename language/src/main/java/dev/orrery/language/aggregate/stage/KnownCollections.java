package dev.orrery.language.aggregate.stage;

import dev.orrery.language.query.Collation;
import dev.orrery.value.Namespace;
import java.util.List;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/** What parsing a pipeline asks about the collections that its stages name. */
public interface KnownCollections {
  /** Nothing but empty collections. */
  KnownCollections EMPTY =
      new KnownCollections() {
        @Override
        public @Nullable View view(Namespace namespace) {
          return null;
        }

        @Override
        public List<List<String>> uniqueKeys(Namespace collection, Collation collation) {
          return List.of(List.of("_id"));
        }

        @Override
        public List<String> documentKey(Namespace collection) {
          return List.of("_id");
        }
      };

  /** What a view stands for; its collection may be a view in turn. */
  record View(Namespace on, List<BsonDocument> pipeline) {}

  /** The view of that name, or null when it is a collection or nothing. */
  @Nullable View view(Namespace namespace);

  /**
   * Fields that no two documents of a collection have in common: those of each unique index of that
   * collation that covers all documents, and the partition key with each of them.
   */
  List<List<String>> uniqueKeys(Namespace collection, Collation collation);

  /** The fields that identify a document: the partition key, if there is one, and {@code _id}. */
  List<String> documentKey(Namespace collection);
}
