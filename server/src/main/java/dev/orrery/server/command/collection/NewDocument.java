package dev.orrery.server.command.collection;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.update.UpdateClock;
import dev.orrery.server.command.BsonTypeNames;
import dev.orrery.value.BsonEncoder;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawElements;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import java.nio.charset.StandardCharsets;
import java.util.function.Supplier;
import org.bson.BsonObjectId;
import org.bson.types.ObjectId;
import org.jspecify.annotations.Nullable;

/**
 * A document on its way in: checked, with its {@code _id} in front (made if it lacks one), and with
 * the present time where it has empty timestamps. Most documents pass as the bytes they are.
 */
public final class NewDocument {
  public static final int BYTES_MAX = 16 << 20;
  public static final int DEPTH_MAX = 180;
  private static final byte[] ID = "_id".getBytes(StandardCharsets.UTF_8);

  private final RawDocument document;
  private boolean isIdFirst;
  private boolean hasEmptyTimestamp;
  private RawValue id;

  private NewDocument(RawDocument document) {
    this.document = document;
  }

  /**
   * Makes a document ready.
   *
   * @param clock null if empty timestamps stay, as restored documents need it
   */
  public static RawDocument of(
      RawDocument document, Supplier<ObjectId> ids, @Nullable UpdateClock clock) {
    if (document.length() > BYTES_MAX) {
      throw new CommandException(
          ErrorCode.BAD_VALUE,
          "object to insert too large. size in bytes: %d, max size: %d"
              .formatted(document.length(), BYTES_MAX));
    }
    var scan = new NewDocument(document);
    scan.scan();
    boolean isReady = scan.isIdFirst && (clock == null || !scan.hasEmptyTimestamp);
    return isReady ? document : scan.rewrite(ids, clock);
  }

  private void scan() {
    RawElements elements = document.elements();
    for (boolean isFirst = true; elements.next(); isFirst = false) {
      byte type = elements.type();
      if (elements.nameEquals(ID)) {
        takeId(elements.value(), isFirst);
      } else if (type == RawTypes.TIMESTAMP && elements.value().asInt64() == 0) {
        hasEmptyTimestamp = true;
      }
      if (type == RawTypes.DOCUMENT || type == RawTypes.ARRAY) {
        requireDepth(elements.value().asDocument(), 1);
      }
    }
  }

  private void takeId(RawValue value, boolean isFirst) {
    if (id != null) {
      throw new CommandException(
          ErrorCode.BAD_VALUE, "can't have multiple _id fields in one document");
    }
    requireId(value);
    id = value;
    isIdFirst = isFirst;
  }

  /** Refuses what cannot be an {@code _id}. */
  static void requireId(RawValue id) {
    switch (id.type()) {
      case RawTypes.ARRAY, RawTypes.REGEX, RawTypes.UNDEFINED ->
          throw new CommandException(
              ErrorCode.INVALID_ID_FIELD,
              "The '_id' value cannot be of type " + BsonTypeNames.of(id.type()));
      case RawTypes.DOCUMENT -> requireNoDollars(id.asDocument());
      default -> {}
    }
  }

  private static void requireNoDollars(RawDocument inside) {
    RawElements elements = inside.elements();
    while (elements.next()) {
      if (elements.nameLength() > 0 && inside.bytes()[elements.nameOffset()] == '$') {
        throw new CommandException(
            ErrorCode.DOLLAR_PREFIXED_FIELD_NAME,
            "_id fields may not contain '$'-prefixed fields: %s is not valid for storage."
                .formatted(elements.name()));
      }
      if (elements.type() == RawTypes.DOCUMENT || elements.type() == RawTypes.ARRAY) {
        requireNoDollars(elements.value().asDocument());
      }
    }
  }

  private static void requireDepth(RawDocument inside, int depth) {
    if (depth >= DEPTH_MAX) {
      throw new CommandException(
          ErrorCode.OVERFLOW,
          "cannot insert document because it exceeds %d levels of nesting".formatted(DEPTH_MAX));
    }
    RawElements elements = inside.elements();
    while (elements.next()) {
      if (elements.type() == RawTypes.DOCUMENT || elements.type() == RawTypes.ARRAY) {
        requireDepth(elements.value().asDocument(), depth + 1);
      }
    }
  }

  private RawDocument rewrite(Supplier<ObjectId> ids, @Nullable UpdateClock clock) {
    var encoder = new BsonEncoder(document.length() + 32);
    int start = encoder.startDocument();
    if (id == null) {
      encoder.writeElement("_id", new BsonObjectId(ids.get()));
    } else {
      encoder.writeElement("_id", id);
    }
    RawElements elements = document.elements();
    while (elements.next()) {
      if (elements.nameEquals(ID)) {
        continue;
      }
      boolean isEmpty = elements.type() == RawTypes.TIMESTAMP && elements.value().asInt64() == 0;
      if (isEmpty && clock != null) {
        encoder.writeElement(elements.name(), clock.nextTimestamp());
      } else {
        encoder.writeElement(elements, document.bytes());
      }
    }
    encoder.endDocument(start);
    return RawDocument.wrap(encoder.toByteArray());
  }
}
