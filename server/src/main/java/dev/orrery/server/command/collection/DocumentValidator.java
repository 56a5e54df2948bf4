package dev.orrery.server.command.collection;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.query.Filter;
import dev.orrery.language.query.FilterContext;
import dev.orrery.language.query.FilterParser;
import dev.orrery.language.query.ValidationFailure;
import dev.orrery.value.RawDocument;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** The condition that a collection sets its documents. */
public final class DocumentValidator {
  private final RawDocument expression;
  private final Filter filter;
  private final boolean isModerate;

  private DocumentValidator(RawDocument expression, boolean isModerate) {
    this.expression = expression;
    this.filter = FilterParser.parse(expression);
    this.isModerate = isModerate;
  }

  /** The validator of a collection, or null when it has none or refuses nothing by it. */
  static @Nullable DocumentValidator of(BsonDocument options) {
    BsonValue validator = options.get("validator");
    if (validator == null || !validator.isDocument() || validator.asDocument().isEmpty()) {
      return null;
    }
    String level = text(options, "validationLevel", "strict");
    String action = text(options, "validationAction", "error");
    return level.equals("off") || action.equals("warn")
        ? null
        : new DocumentValidator(RawDocument.of(validator.asDocument()), level.equals("moderate"));
  }

  private static String text(BsonDocument options, String name, String fallback) {
    return options.getString(name, new BsonString(fallback)).getValue();
  }

  /** Refuses a new document that does not match. */
  public void requireValid(RawDocument document) {
    if (!filter.matches(document)) {
      throw failed(document);
    }
  }

  /** Refuses a change; one of a document that did not match before is let pass if so agreed. */
  public void requireValid(RawDocument before, RawDocument after) {
    if (!filter.matches(after) && !(isModerate && !filter.matches(before))) {
      throw failed(after);
    }
  }

  private CommandException failed(RawDocument document) {
    BsonDocument details = ValidationFailure.explain(expression, document, FilterContext.DEFAULT);
    var info =
        new BsonDocument("failingDocumentId", document.field("_id").toBsonValue())
            .append("details", details);
    return new CommandException(
        ErrorCode.DOCUMENT_VALIDATION_FAILURE,
        "Document failed validation",
        new BsonDocument("errInfo", info));
  }
}
