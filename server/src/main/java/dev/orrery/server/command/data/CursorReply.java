package dev.orrery.server.command.data;

import dev.orrery.value.BsonEncoder;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawTypes;

/** Writes the reply of a find that needs no cursor straight into bytes. */
final class CursorReply {
  /** From the start of the cursor to that of its first batch: a length, a type and a name. */
  private static final int BATCH_OFFSET = Integer.BYTES + 1 + "firstBatch".length() + 1;

  private CursorReply() {}

  /** Begins {@code {cursor: {firstBatch: [}; the result goes to {@link #end}. */
  static int start(BsonEncoder out) {
    out.writeName(RawTypes.DOCUMENT, "cursor");
    int cursor = out.startDocument();
    out.writeName(RawTypes.ARRAY, "firstBatch");
    out.startDocument();
    return cursor;
  }

  /** Ends {@code ], id: 0, ns: ...}}}: there is nothing more to fetch. */
  static void end(BsonEncoder out, int cursor, Namespace namespace) {
    out.endDocument(cursor + BATCH_OFFSET);
    out.writeName(RawTypes.INT64, "id");
    out.writeInt64(0);
    out.writeName(RawTypes.STRING, "ns");
    out.writeString(namespace.database(), '.', namespace.collection());
    out.endDocument(cursor);
  }
}
