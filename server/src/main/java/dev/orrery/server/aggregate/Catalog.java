package dev.orrery.server.aggregate;

import dev.orrery.storage.Namespace;
import java.util.List;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/** What parsing a pipeline asks about the collections that its stages name. */
public interface Catalog {
  /** Nothing but empty collections. */
  Catalog EMPTY =
      new Catalog() {
        @Override
        public @Nullable View view(Namespace namespace) {
          return null;
        }

        @Override
        public List<List<String>> uniqueKeys(Namespace collection) {
          return List.of();
        }
      };

  /** What a view stands for; its collection may be a view in turn. */
  record View(Namespace on, List<BsonDocument> pipeline) {}

  /** The view of that name, or null when it is a collection or nothing. */
  @Nullable View view(Namespace namespace);

  /** The fields of each unique index that covers all documents, in the order of the index. */
  List<List<String>> uniqueKeys(Namespace collection);
}
