package dev.orrery.server.command.data;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.query.SortPattern;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.RawNumbers;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** What a find asks for, as it was written. */
record FindParams(String collection, Selection selection, Page page, Output output, Mode mode) {
  /** First batches that are not sized are small, so that a first look is cheap. */
  static final long FIRST_BATCH_DEFAULT = 101;

  /** Which documents, in which order. */
  record Selection(
      RawDocument filter,
      RawDocument sort,
      @Nullable RawDocument collation,
      @Nullable RawDocument let,
      Guide guide) {}

  /** Which index to use, and between which keys. */
  record Guide(@Nullable BsonValue hint, @Nullable BsonDocument min, @Nullable BsonDocument max) {}

  /**
   * How many.
   *
   * @param batchSize -1 when it was not given
   */
  record Page(long skip, long limit, long batchSize, boolean isSingleBatch) {
    long firstBatch() {
      return batchSize < 0 ? FIRST_BATCH_DEFAULT : batchSize;
    }
  }

  /** What of each document. */
  record Output(@Nullable RawDocument projection, boolean isKeyOnly, boolean hasRecordId) {}

  /** How the cursor lives. */
  record Mode(boolean isTailable, boolean awaitsData, boolean hasNoTimeout, boolean usesDisk) {}

  static FindParams parse(CommandReader body) {
    String collection = body.readableCollection(ErrorCode.BAD_VALUE);
    var params = new FindParams(collection, selection(body), page(body), output(body), mode(body));
    body.optionalBool("allowPartialResults", false); // only to refuse what is none
    body.optionalBool("oplogReplay", false);
    body.ignore(
        "mirrored", "readOnce", "runtimeConstants", "legacyRuntimeConstants", "term", "options");
    body.reject("requestResumeToken", "resumeAfter", "encryptionInformation");
    body.finish();
    params.requireConsistent();
    return params;
  }

  private static Selection selection(CommandReader body) {
    var guide =
        new Guide(
            Hints.parse(body),
            decoded(body.ownedDocument("min")),
            decoded(body.ownedDocument("max")));
    return new Selection(
        orEmpty(body.ownedDocument("filter")),
        orEmpty(body.ownedDocument("sort")),
        body.ownedDocument("collation"),
        body.rawDocument("let"),
        guide);
  }

  private static Page page(CommandReader body) {
    return new Page(
        body.nonNegative("skip", 0),
        body.nonNegative("limit", 0),
        batchSize(body),
        body.optionalBool("singleBatch", false));
  }

  private static long batchSize(CommandReader body) {
    RawValue given = body.value("batchSize");
    boolean isGiven = given != null && given.type() != RawTypes.NULL;
    return isGiven ? body.nonNegative("batchSize", 0) : -1;
  }

  private static Output output(CommandReader body) {
    return new Output(
        body.ownedDocument("projection"),
        body.optionalBool("returnKey", false),
        body.optionalBool("showRecordId", false));
  }

  private static Mode mode(CommandReader body) {
    return new Mode(
        body.optionalBool("tailable", false),
        body.optionalBool("awaitData", false),
        body.optionalBool("noCursorTimeout", false),
        body.optionalBool("allowDiskUse", true));
  }

  private static RawDocument orEmpty(@Nullable RawDocument document) {
    return document == null ? RawDocument.EMPTY : document;
  }

  private static @Nullable BsonDocument decoded(@Nullable RawDocument document) {
    return document == null || document.isEmpty() ? null : document.toBsonDocument();
  }

  private void requireConsistent() {
    RawValue natural = selection.sort.field("$natural");
    Guide guide = selection.guide;
    requireSameFields(guide);
    SortPattern.isNatural(selection.sort); // refuses other directions
    requireNaturalHint(guide.hint);
    if ((guide.min != null || guide.max != null) && guide.hint == null) {
      throw new CommandException(
          ErrorCode.LOCATION_51173,
          "When using min()/max() a hint of which index to use must be provided");
    }
    if (mode.awaitsData && !mode.isTailable) {
      throw new CommandException(
          ErrorCode.FAILED_TO_PARSE, "Cannot set 'awaitData' without also setting 'tailable'");
    }
    boolean isForward = natural != null && RawNumbers.toLong(natural) == 1;
    if (mode.isTailable && !selection.sort.isEmpty() && !isForward) {
      throw badValue("cannot use tailable option with a sort other than {$natural: 1}");
    }
    if (mode.isTailable && page.isSingleBatch) {
      throw badValue("cannot use tailable option with the 'singleBatch' option");
    }
  }

  private static void requireSameFields(Guide guide) {
    boolean isDifferent =
        guide.min != null
            && guide.max != null
            && !List.copyOf(guide.min.keySet()).equals(List.copyOf(guide.max.keySet()));
    if (isDifferent) {
      throw new CommandException(
          ErrorCode.LOCATION_51176, "min and max must have the same field names");
    }
  }

  private static void requireNaturalHint(@Nullable BsonValue hint) {
    BsonDocument pattern = hint != null && hint.isDocument() ? hint.asDocument() : null;
    if (pattern == null || !pattern.containsKey("$natural")) {
      return;
    }
    BsonValue direction = pattern.get("$natural");
    boolean isValid =
        pattern.size() == 1
            && direction.isNumber()
            && Math.abs(direction.asNumber().doubleValue()) == 1;
    if (!isValid) {
      throw badValue("$natural hint cannot be set to a value other than -1 or 1.");
    }
  }

  private static CommandException badValue(String message) {
    return new CommandException(ErrorCode.BAD_VALUE, message);
  }
}
