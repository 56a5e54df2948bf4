package dev.orrery.server.command;

import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawElements;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import dev.orrery.wire.WireLimits;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One command as it came in: the connection, the body, and the document sequences beside it. A
 * request in the old form (OP_QUERY) names its database in the collection, not in {@code $db}.
 */
public record Request(
    ClientConnection connection,
    RawDocument body,
    List<RequestSequence> sequences,
    String legacyDatabase) {
  private static final int SHOWN_BYTES_MAX = 1024;

  public static Request message(
      ClientConnection connection, RawDocument body, List<RequestSequence> sequences) {
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

  /**
   * The database that the command is for: what {@code $db} says, or the old form's name.
   *
   * @param database the value of {@code $db}, null without one
   */
  String database(@Nullable RawValue database, NameCache names) {
    if (isLegacy()) {
      return legacyDatabase;
    }
    if (database == null) {
      throw new CommandException(
          ErrorCode.LOCATION_40571, "OP_MSG requests require a $db argument");
    }
    if (database.type() != RawTypes.STRING) {
      throw new CommandException(
          ErrorCode.LOCATION_13111,
          "wrong type for field ($db) %d != 2".formatted(Byte.toUnsignedInt(database.type())));
    }
    return names.text(database);
  }

  /**
   * Refuses documents that are larger than any may be, with room for a command around a document of
   * 16 MiB. A message may have 48 MB, but only as a sequence of smaller documents.
   */
  void requireSizes() {
    requireSize(body);
    if (sequences.isEmpty()) {
      return; // as most are: not even an iterator is made for them
    }
    for (RequestSequence sequence : sequences) {
      for (RawDocument document : sequence.documents()) {
        requireSize(document);
      }
    }
  }

  private static void requireSize(RawDocument document) {
    int bytes = document.length();
    if (bytes <= WireLimits.INTERNAL_DOCUMENT_BYTES_MAX) {
      return;
    }
    throw new CommandException(
        ErrorCode.BSON_OBJECT_TOO_LARGE,
        "BSONObj size: %d (0x%X) is invalid. Size must be between 0 and %d(16MB)%s"
            .formatted(
                bytes, bytes, WireLimits.INTERNAL_DOCUMENT_BYTES_MAX, firstElement(document)));
  }

  /** The element that tells what it was, unless that is the large one. */
  private static String firstElement(RawDocument document) {
    RawElements first = document.elements();
    return first.next() && first.valueLength() <= SHOWN_BYTES_MAX
        ? " First element: " + BsonText.element(first.name(), first.value().toBsonValue())
        : "";
  }

  /** The first update or deletion that came beside the body; null when there is none. */
  @Nullable RawDocument firstStatement() {
    for (RequestSequence sequence : sequences) {
      boolean areStatements =
          sequence.name().equals("updates") || sequence.name().equals("deletes");
      if (areStatements && !sequence.documents().isEmpty()) {
        return sequence.documents().get(0);
      }
    }
    return null;
  }

  /** The documents beside the body, by the name of the field that they stand for. */
  Map<String, List<RawDocument>> beside() {
    if (sequences.isEmpty()) {
      return Map.of();
    }
    var beside = new LinkedHashMap<String, List<RawDocument>>();
    sequences.forEach(sequence -> beside.put(sequence.name(), sequence.documents()));
    return beside;
  }

  /** The size of all documents. */
  public long bytes() {
    long sum = body.length();
    if (sequences.isEmpty()) {
      return sum;
    }
    for (RequestSequence sequence : sequences) {
      for (RawDocument document : sequence.documents()) {
        sum += document.length();
      }
    }
    return sum;
  }
}
