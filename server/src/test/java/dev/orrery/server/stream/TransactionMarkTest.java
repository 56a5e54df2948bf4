package dev.orrery.server.stream;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.server.session.SessionId;
import dev.orrery.storage.Change;
import dev.orrery.storage.CollectionIdentity;
import dev.orrery.storage.CommittedGroup;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawDocument;
import java.util.List;
import java.util.UUID;
import org.bson.BsonBinary;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.junit.jupiter.api.Test;

final class TransactionMarkTest {
  private static final UUID SESSION = UUID.fromString("01234567-89ab-4cde-8f01-23456789abcd");

  private static CommittedGroup group(BsonDocument record) {
    var identity =
        new CollectionIdentity(
            1, new Namespace("config", "transactions"), UUID.randomUUID(), "_id.id", false);
    var change =
        new Change.OfDocument(
            Change.Kind.INSERT, identity, RawDocument.of(record), Change.Image.NONE);
    return new CommittedGroup(1, 1, List.of(change), 1);
  }

  private static BsonDocument record() {
    var id = new BsonDocument("id", new BsonBinary(SESSION)).append("owner", new BsonString(""));
    return new BsonDocument("_id", id).append("txnNum", new BsonInt64(7));
  }

  @Test
  void theRecordOfACommittedTransactionNamesItAndItsSession() {
    BsonDocument committed = record().append("state", new BsonString("committed"));

    assertThat(TransactionMark.of(group(committed)))
        .isEqualTo(
            new BsonDocument("txnNumber", new BsonInt64(7))
                .append("lsid", new SessionId(SESSION, "").toBson()));
  }

  @Test
  void theRecordOfARetryableWriteDoesNot() {
    assertThat(TransactionMark.of(group(record()))).isEmpty();
  }
}
