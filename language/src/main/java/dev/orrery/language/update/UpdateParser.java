package dev.orrery.language.update;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawValue;
import org.bson.BsonArray;

/** Compiles updates: all errors of the update itself are found here. */
public final class UpdateParser {
  private UpdateParser() {}

  /**
   * Refuses what is neither a document nor a pipeline of known stages. A command does this for all
   * of its statements before it runs the first, and fails as a whole.
   */
  public static void requireForm(RawValue update) {
    if (update.isArray()) {
      PipelineUpdate.requireForm(update.toBsonValue().asArray());
    } else if (!update.isDocument()) {
      throw new CommandException(
          ErrorCode.FAILED_TO_PARSE, "Update argument must be either an object or an array");
    }
  }

  /** Parses an update whose form was checked: operators, a replacement, or a pipeline. */
  public static Update parse(RawValue update, UpdateOptions options) {
    requireForm(update);
    if (update.isArray()) {
      return parsePipeline(update.toBsonValue().asArray(), options);
    }
    var arrayFilters = ArrayFilter.parseAll(options.arrayFilters(), options.order());
    if (options.constants() != null) {
      throw new CommandException(
          ErrorCode.LOCATION_51198, "Constant values may only be specified for pipeline updates");
    }
    var document = update.asDocument();
    if (isOperatorUpdate(document)) {
      return new OperatorParser(options, arrayFilters).parse(document);
    }
    if (options.isMulti()) {
      throw new CommandException(
          ErrorCode.FAILED_TO_PARSE, "multi update is not supported for replacement-style update");
    }
    return new ReplacementUpdate(document.toBsonDocument());
  }

  private static boolean isOperatorUpdate(RawDocument update) {
    var fields = update.elements();
    return fields.next() && fields.name().startsWith("$");
  }

  private static Update parsePipeline(BsonArray stages, UpdateOptions options) {
    if (!ArrayFilter.parseAll(options.arrayFilters(), options.order()).isEmpty()) {
      throw new CommandException(
          ErrorCode.FAILED_TO_PARSE,
          "arrayFilters may not be specified for pipeline-style updates");
    }
    return PipelineUpdate.parse(stages, options);
  }
}
