package dev.orrery.server.stream;

import dev.orrery.server.session.SessionId;
import dev.orrery.storage.Change;
import dev.orrery.storage.CommittedGroup;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import org.bson.BsonDocument;
import org.bson.BsonInt64;

/** What the events of a transaction say of it: {@code {txnNumber, lsid}}. */
final class TransactionMark {
  private static final Namespace RECORDS = new Namespace("config", "transactions");

  private TransactionMark() {}

  /** Empty when the commit is that of no transaction; else its own record says so. */
  static BsonDocument of(CommittedGroup group) {
    var mark = new BsonDocument();
    for (Change change : group.changes()) {
      if (change instanceof Change.OfDocument one
          && one.kind() != Change.Kind.DELETE
          && one.collection().namespace().equals(RECORDS)
          && isCommitted(one.document())) {
        BsonDocument record = one.document().toBsonDocument();
        BsonDocument id = record.getDocument("_id");
        var session = new SessionId(id.getBinary("id").asUuid(), id.getString("owner").getValue());
        mark.append("txnNumber", new BsonInt64(record.getNumber("txnNum").longValue()));
        mark.append("lsid", session.toBson());
      }
    }
    return mark;
  }

  private static boolean isCommitted(RawDocument record) {
    RawValue state = record.field("state");
    return state != null && state.type() == RawTypes.STRING && state.asString().equals("committed");
  }
}
