package dev.orrery.language.aggregate.stage;

import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.bson.BsonBinarySubType;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonTimestamp;
import org.bson.BsonType;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * What the stage {@code $changeStream} was given.
 *
 * @param after where to begin; null for now
 */
public record ChangeStreamOptions(
    Images images,
    @Nullable ResumeToken after,
    boolean isForAll,
    Shown shown,
    List<BsonDocument> matches) {

  /** Which versions of documents events show. */
  public record Images(Image fullDocument, Image before) {}

  public Image fullDocument() {
    return images.fullDocument;
  }

  public Image before() {
    return images.before;
  }

  /** The same for a stream whose events must all meet these conditions, too. */
  public ChangeStreamOptions matching(List<BsonDocument> conditions) {
    return new ChangeStreamOptions(images, after, isForAll, shown, List.copyOf(conditions));
  }

  /** Which of a document's versions is wanted. */
  public enum Image {
    NONE("default"),
    NOT_BEFORE("off"),
    LOOKED_UP("updateLookup"),
    IF_KEPT("whenAvailable"),
    REQUIRED("required");

    private final String text;

    Image(String text) {
      this.text = text;
    }
  }

  /**
   * What events show besides the usual.
   *
   * @param areCharges whether they tell the request units that the write cost
   */
  public record Shown(boolean areMore, boolean isRaw, boolean areCharges) {}

  private static final String STAGE = "$changeStream";
  private static final String ALL = "allChangesForCluster";
  private static final String CHARGES = "showRequestCharge";
  private static final String MORE = "showExpandedEvents";
  private static final String RAW = "showRawUpdateDescription";
  private static final String TYPE_BITS = "_typeBits";

  /** What shows nothing here, as partitions move without the stream's knowing. */
  private static final String MIGRATIONS = "showMigrationEvents";

  /** What MongoDB has for its own use, and is not here. */
  private static final Set<String> INTERNAL =
      Set.of("allowToRunOnConfigDB", "allowToRunOnSystemNS", "showSystemEvents");

  /**
   * Parses in MongoDB's order: the fields as they come, then whether there may be such a stream,
   * then what tokens mean.
   *
   * @param requireLegal is given the options without a place to begin
   */
  public static ChangeStreamOptions parse(
      BsonDocument given, Consumer<ChangeStreamOptions> requireLegal) {
    given.forEach((field, value) -> check(field, value, given));
    var shown = new Shown(isTrue(given, MORE), isTrue(given, RAW), isTrue(given, CHARGES));
    var images =
        new Images(
            image(given, "fullDocument", Image.NONE), //
            image(given, "fullDocumentBeforeChange", Image.NOT_BEFORE));
    var options = new ChangeStreamOptions(images, null, isTrue(given, ALL), shown, List.of());
    requireLegal.accept(options);
    for (String field : INTERNAL) {
      if (isTrue(given, field)) {
        throw new CommandException(
            ErrorCode.NOT_IMPLEMENTED, "$changeStream." + field + " is not implemented yet");
      }
    }
    return new ChangeStreamOptions(images, start(given), options.isForAll, shown, List.of());
  }

  private static void check(String field, BsonValue value, BsonDocument given) {
    switch (field) {
      case "fullDocument" ->
          requireImage(given, field, Image.NONE, Image.LOOKED_UP, Image.IF_KEPT, Image.REQUIRED);
      case "fullDocumentBeforeChange" ->
          requireImage(given, field, Image.NOT_BEFORE, Image.IF_KEPT, Image.REQUIRED);
      case "resumeAfter", "startAfter" -> requireToken(given, field);
      case "startAtOperationTime" -> StageFailures.typed(STAGE, given, field, BsonType.TIMESTAMP);
      case ALL, CHARGES, MORE, RAW, MIGRATIONS -> requireBoolean(field, value);
      default -> {
        if (!INTERNAL.contains(field)) {
          StageFailures.requireKnown(STAGE, new BsonDocument(field, value), INTERNAL);
        }
        requireBoolean(field, value);
      }
    }
  }

  /** Where to begin; null for now. */
  private static @Nullable ResumeToken start(BsonDocument given) {
    BsonDocument resumed = given.getDocument("resumeAfter", null);
    BsonDocument started = given.getDocument("startAfter", null);
    BsonTimestamp time = given.getTimestamp("startAtOperationTime", null);
    if (resumed != null && started != null) {
      throw new CommandException(
          ErrorCode.LOCATION_50865,
          "Do not specify both 'resumeAfter' and 'startAfter' in a $changeStream stage");
    }
    BsonDocument kept = resumed == null ? started : resumed;
    ResumeToken token = kept == null ? null : ResumeToken.parse(kept);
    if (token != null && time != null) {
      throw new CommandException(
          ErrorCode.LOCATION_40674,
          "Only one type of resume option is allowed, but multiple were found");
    }
    if (resumed != null && token.kind() == ResumeToken.Kind.INVALIDATION) {
      throw new CommandException(
          ErrorCode.INVALID_RESUME_TOKEN,
          "Attempting to resume a change stream using 'resumeAfter' is not allowed from an"
              + " invalidate notification");
    }
    if (time != null) {
      long from = time.getValue(); // unsigned, and ours are not so far
      return ResumeToken.upTo(from < 0 ? Long.MAX_VALUE : Math.max(0, from - 1));
    }
    return token;
  }

  private static Image image(BsonDocument given, String field, Image usual) {
    String text = given.getString(field, new BsonString(usual.text)).getValue();
    for (Image image : Image.values()) {
      if (image.text.equals(text)) {
        return image;
      }
    }
    throw new IllegalArgumentException("not checked: " + text);
  }

  private static void requireImage(BsonDocument given, String field, Image... images) {
    String text = StageFailures.typed(STAGE, given, field, BsonType.STRING).asString().getValue();
    for (Image image : images) {
      if (image.text.equals(text)) {
        return;
      }
    }
    throw new CommandException(
        ErrorCode.BAD_VALUE,
        "Enumeration value '%s' for field '%s.%s' is not a valid value."
            .formatted(text, STAGE, field));
  }

  private static void requireToken(BsonDocument given, String field) {
    BsonDocument token = StageFailures.typed(STAGE, given, field, BsonType.DOCUMENT).asDocument();
    if (!token.isString("_data")) {
      throw new CommandException(
          ErrorCode.LOCATION_40647,
          "Bad resume token: _data of missing or of wrong type. Expected string, got "
              + BsonText.aggregated(token));
    }
    BsonValue bits = token.get(TYPE_BITS);
    boolean isBinary =
        bits == null
            || bits.isBinary() && bits.asBinary().getType() == BsonBinarySubType.BINARY.getValue();
    if (!isBinary) {
      throw new CommandException(
          ErrorCode.LOCATION_40648,
          "Bad resume token: _typeBits of wrong type " + BsonText.aggregated(token));
    }
  }

  private static void requireBoolean(String field, BsonValue value) {
    if (!value.isBoolean()) {
      throw StageFailures.typeMismatch(
          "Field '%s' should be a boolean value, but found: %s"
              .formatted(field, BsonText.typeName(value)));
    }
  }

  private static boolean isTrue(BsonDocument given, String field) {
    return given.getBoolean(field, BsonBoolean.FALSE).getValue();
  }
}
