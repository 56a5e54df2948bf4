package dev.orrery.server.command;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import java.nio.charset.StandardCharsets;

/** The rules for the {@code client} document of a handshake. */
public final class ClientMetadata {
  static final int DOCUMENT_BYTES_MAX = 512;
  static final int APPLICATION_NAME_BYTES_MAX = 128;

  private ClientMetadata() {}

  /** Checks the document and keeps it; a connection introduces itself once. */
  public static void introduce(ClientConnection connection, RawValue client) {
    if (connection.clientMetadata() != null) {
      throw new CommandException(
          ErrorCode.CLIENT_METADATA_CANNOT_BE_MUTATED,
          "The client metadata document may only be sent in the first hello");
    }
    if (!client.isDocument()) {
      throw new CommandException(
          ErrorCode.TYPE_MISMATCH, "The client metadata document must be a document");
    }
    RawDocument document = client.asDocument();
    if (document.length() > DOCUMENT_BYTES_MAX) {
      throw new CommandException(
          ErrorCode.CLIENT_METADATA_DOCUMENT_TOO_LARGE,
          "The client metadata document must be less then or equal to 512 bytes");
    }
    requireShortApplicationName(document);
    requireFields(document, "driver", "name", "version");
    requireFields(document, "os", "type");
    connection.introduce(document);
  }

  private static void requireShortApplicationName(RawDocument document) {
    RawValue application = document.field("application");
    if (application == null || !application.isDocument()) {
      return;
    }
    RawValue name = application.asDocument().field("name");
    if (name != null && name.type() == RawTypes.STRING) {
      int bytes = name.asString().getBytes(StandardCharsets.UTF_8).length;
      if (bytes > APPLICATION_NAME_BYTES_MAX) {
        throw new CommandException(
            ErrorCode.CLIENT_METADATA_APP_NAME_TOO_LARGE,
            "The 'application.name' field in client metadata must be less than or equal to 128"
                + " bytes");
      }
    }
  }

  private static void requireFields(RawDocument document, String part, String... fields) {
    RawValue value = document.field(part);
    if (value == null || !value.isDocument()) {
      throw new CommandException(
          ErrorCode.CLIENT_METADATA_MISSING_FIELD,
          "Missing required sub-document '%s' in the client metadata document".formatted(part));
    }
    for (String field : fields) {
      if (value.asDocument().field(field) == null) {
        throw new CommandException(
            ErrorCode.CLIENT_METADATA_MISSING_FIELD,
            "Missing required field '%s' in the client %s metadata document"
                .formatted(field, part));
      }
    }
  }
}
