package dev.orrery.language.aggregate.stage;

import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import java.util.Collection;
import java.util.function.Supplier;
import org.bson.BsonDocument;
import org.bson.BsonType;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** MongoDB's words for the ways in which pipelines fail. */
public final class StageFailures {
  private StageFailures() {}

  public static CommandException failedToParse(String message) {
    return new CommandException(ErrorCode.FAILED_TO_PARSE, message);
  }

  public static CommandException typeMismatch(String message) {
    return new CommandException(ErrorCode.TYPE_MISMATCH, message);
  }

  /** Runs a part of the work, with a few words before the message of its failure. */
  public static <T> T within(String words, Supplier<T> work) {
    try {
      return work.get();
    } catch (CommandException e) {
      if (e.code() == ErrorCode.REQUEST_RATE_TOO_LARGE
          || e.code() == ErrorCode.NO_QUERY_EXECUTION_PLANS) {
        throw e; // clients read Cosmos DB's words from their first letter; no plan is no execution
      }
      throw prefixed(words, e);
    }
  }

  static CommandException prefixed(String words, CommandException cause) {
    return new CommandException(
        cause.code(), words + " :: caused by :: " + cause.getMessage(), cause.details());
  }

  /** Parses the specification of a stage. */
  public static <T> T inStage(String name, Supplier<T> work) {
    return within("Invalid " + name, work);
  }

  /** The field of a specification, of that type; null when it is missing. */
  public static @Nullable BsonValue typed(
      String stage, BsonDocument specification, String field, BsonType type) {
    BsonValue value = specification.get(field);
    if (value != null && value.getBsonType() != type) {
      throw wrongType(stage + "." + field, value, BsonText.typeName(type));
    }
    return value;
  }

  public static CommandException wrongType(String path, BsonValue value, String expected) {
    return typeMismatch(
        "BSON field '"
            + path
            + "' is the wrong type '"
            + BsonText.typeName(value)
            + "', expected type '"
            + expected
            + "'");
  }

  public static CommandException missing(String path) {
    return new CommandException(
        ErrorCode.LOCATION_40414, "BSON field '" + path + "' is missing but a required field");
  }

  /** Refuses fields that a specification does not have. */
  public static void requireKnown(
      String stage, BsonDocument specification, Collection<String> known) {
    for (String field : specification.keySet()) {
      if (!known.contains(field)) {
        throw new CommandException(
            ErrorCode.LOCATION_40415,
            "BSON field '" + stage + "." + field + "' is an unknown field.");
      }
    }
  }
}
