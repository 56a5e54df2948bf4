package dev.orrery.server.command.data;

import dev.orrery.server.auth.Login;
import dev.orrery.server.cursor.ClientCursor;
import dev.orrery.server.cursor.CursorRegistry;
import dev.orrery.server.session.SessionId;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.bson.BsonBoolean;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.jspecify.annotations.Nullable;

/** Open cursors that no request is using, as {@code $currentOp} shows them. */
record IdleCursors(CursorRegistry cursors, Clock clock) {
  /**
   * @param user whose cursors, or null for all
   */
  List<BsonDocument> list(String host, Login.@Nullable Identity user) {
    var list = new ArrayList<BsonDocument>();
    for (CursorRegistry.Idle idle : cursors.idle()) {
      ClientCursor.Owner of = idle.cursor().owner();
      var session = (SessionId) of.session();
      if (user == null || user.equals(of.user())) {
        list.add(document(host, idle, session));
      }
    }
    return list;
  }

  private BsonDocument document(
      String host, CursorRegistry.Idle idle, @Nullable SessionId session) {
    ClientCursor cursor = idle.cursor();
    var document =
        new BsonDocument("type", new BsonString("idleCursor"))
            .append("host", new BsonString(host))
            .append("ns", new BsonString(cursor.owner().namespace().toString()));
    if (session != null) {
      document.append("lsid", session.toBson());
    }
    return document.append(
        "cursor",
        new BsonDocument("cursorId", new BsonInt64(idle.id()))
            .append("createdDate", dateBefore(idle.ageNanos()))
            .append("lastAccessDate", dateBefore(idle.idleNanos()))
            .append("nDocsReturned", new BsonInt64(cursor.documentsReturned()))
            .append("nBatchesReturned", new BsonInt64(cursor.batchesReturned()))
            .append("noCursorTimeout", BsonBoolean.valueOf(cursor.owner().hasNoTimeout()))
            .append("tailable", BsonBoolean.valueOf(cursor.isTailable()))
            .append("awaitData", BsonBoolean.valueOf(cursor.awaitsData())));
  }

  private BsonDateTime dateBefore(long nanos) {
    return new BsonDateTime(clock.millis() - TimeUnit.NANOSECONDS.toMillis(nanos));
  }
}
