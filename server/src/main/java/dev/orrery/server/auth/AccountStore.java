package dev.orrery.server.auth;

import java.util.List;
import org.bson.BsonDocument;

/** Where accounts are kept: small documents by kind and {@code _id}. */
public interface AccountStore {
  List<BsonDocument> load(String kind);

  /** Returns the sequence number to wait for. */
  long save(String kind, BsonDocument document);

  /** Returns the sequence number to wait for. */
  long remove(String kind, String id);

  /** Keeps nothing beyond the process. */
  AccountStore NONE =
      new AccountStore() {
        @Override
        public List<BsonDocument> load(String kind) {
          return List.of();
        }

        @Override
        public long save(String kind, BsonDocument document) {
          return -1;
        }

        @Override
        public long remove(String kind, String id) {
          return -1;
        }
      };
}
