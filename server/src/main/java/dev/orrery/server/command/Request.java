package dev.orrery.server.command;

import dev.orrery.storage.value.RawDocument;
import dev.orrery.storage.value.RawElements;
import java.util.List;

/**
 * One command as it came in: the connection, the body, and the document sequences beside it. A
 * request in the old form (OP_QUERY) names its database in the collection, not in {@code $db}.
 */
public record Request(
    ClientConnection connection,
    RawDocument body,
    List<DocumentSequence> sequences,
    String legacyDatabase) {
  public static Request message(
      ClientConnection connection, RawDocument body, List<DocumentSequence> sequences) {
    return new Request(connection, body, sequences, null);
  }

  /**
   * A query on {@code $cmd} of a database. Old drivers wrap the command as {@code {$query:
   * command}}, with the read preference beside it.
   */
  public static Request query(ClientConnection connection, String database, RawDocument query) {
    RawElements first = query.elements();
    boolean isWrapped =
        first.next()
            && first.value().isDocument()
            && (first.name().equals("$query") || first.name().equals("query"));
    RawDocument command = isWrapped ? first.value().asDocument() : query;
    return new Request(connection, command, List.of(), database);
  }

  public boolean isLegacy() {
    return legacyDatabase != null;
  }

  /** The name of the first field, which is the command; empty for an empty document. */
  public String commandName() {
    RawElements first = body.elements();
    return first.next() ? first.name() : "";
  }

  /** The size of all documents. */
  public long bytes() {
    long sum = body.length();
    for (DocumentSequence sequence : sequences) {
      for (RawDocument document : sequence.documents()) {
        sum += document.length();
      }
    }
    return sum;
  }
}
