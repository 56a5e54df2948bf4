package dev.orrery.server.command;

import dev.orrery.storage.Namespace;
import dev.orrery.storage.value.BsonEncoder;
import dev.orrery.storage.value.RawDocument;
import dev.orrery.storage.value.RawTypes;
import org.jspecify.annotations.Nullable;

/** Writes the reply of a find that needs no cursor straight into bytes. */
final class CursorReply {
  private CursorReply() {}

  /** {@code {cursor: {firstBatch: [only], id: 0, ns}}}; with null the batch is empty. */
  static void write(BsonEncoder out, @Nullable RawDocument only, Namespace namespace) {
    out.writeName(RawTypes.DOCUMENT, "cursor");
    int cursor = out.startDocument();
    out.writeName(RawTypes.ARRAY, "firstBatch");
    int batch = out.startDocument();
    if (only != null) {
      out.writeName(RawTypes.DOCUMENT, "0");
      out.writeDocument(only);
    }
    out.endDocument(batch);
    out.writeName(RawTypes.INT64, "id");
    out.writeInt64(0);
    out.writeName(RawTypes.STRING, "ns");
    out.writeString(namespace.database(), '.', namespace.collection());
    out.endDocument(cursor);
  }
}
