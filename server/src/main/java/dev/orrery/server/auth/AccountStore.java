package dev.orrery.server.auth;

import dev.orrery.storage.Receipt;
import java.util.List;
import org.bson.BsonDocument;

/** Where accounts are kept: small documents by kind and {@code _id}. */
public interface AccountStore {
  List<BsonDocument> load(String kind);

  /** Returns what to wait for. */
  Receipt save(String kind, BsonDocument document);

  /** Returns what to wait for. */
  Receipt remove(String kind, String id);

  /** Keeps nothing beyond the process. */
  AccountStore NONE =
      new AccountStore() {
        @Override
        public List<BsonDocument> load(String kind) {
          return List.of();
        }

        @Override
        public Receipt save(String kind, BsonDocument document) {
          return Receipt.NONE;
        }

        @Override
        public Receipt remove(String kind, String id) {
          return Receipt.NONE;
        }
      };
}
