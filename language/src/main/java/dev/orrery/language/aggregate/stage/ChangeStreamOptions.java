package dev.orrery.language.aggregate.stage;

import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import java.util.List;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
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

  /** What events show besides the usual. */
  public record Shown(boolean areMore, boolean isRaw) {}

  private static final String STAGE = "$changeStream";
  private static final List<String> FIELDS =
      List.of(
          "allChangesForCluster",
          "fullDocument",
          "fullDocumentBeforeChange",
          "resumeAfter",
          "showExpandedEvents",
          "showRawUpdateDescription",
          "startAfter",
          "startAtOperationTime");

  public static ChangeStreamOptions parse(BsonDocument given) {
    StageFailures.requireKnown(STAGE, given, FIELDS);
    Image full =
        image(given, "fullDocument", Image.NONE, Image.LOOKED_UP, Image.IF_KEPT, Image.REQUIRED);
    Image before =
        image(given, "fullDocumentBeforeChange", Image.NOT_BEFORE, Image.IF_KEPT, Image.REQUIRED);
    ResumeToken resumed = token(given, "resumeAfter");
    ResumeToken started = token(given, "startAfter");
    BsonValue time = StageFailures.typed(STAGE, given, "startAtOperationTime", BsonType.TIMESTAMP);
    var shown =
        new Shown(isTrue(given, "showExpandedEvents"), isTrue(given, "showRawUpdateDescription"));
    boolean isForAll = isTrue(given, "allChangesForCluster");
    requireOne(resumed, started, time);
    if (resumed != null && resumed.kind() == ResumeToken.Kind.INVALIDATION) {
      throw new CommandException(
          ErrorCode.INVALID_RESUME_TOKEN,
          "Attempting to resume a change stream using 'resumeAfter' is not allowed from an"
              + " invalidate notification.");
    }
    ResumeToken after = resumed == null ? started : resumed;
    if (time != null) {
      long start = time.asTimestamp().getValue(); // unsigned, and ours are not so far
      after = ResumeToken.upTo(start < 0 ? Long.MAX_VALUE : Math.max(0, start - 1));
    }
    return new ChangeStreamOptions(new Images(full, before), after, isForAll, shown, List.of());
  }

  private static void requireOne(@Nullable Object... starts) {
    int count = 0;
    for (Object start : starts) {
      count += start == null ? 0 : 1;
    }
    if (count > 1) {
      throw new CommandException(
          ErrorCode.LOCATION_40674,
          "Only one type of resume option is allowed, but multiple were found");
    }
  }

  private static Image image(BsonDocument given, String field, Image usual, Image... others) {
    BsonValue value = StageFailures.typed(STAGE, given, field, BsonType.STRING);
    if (value == null || value.asString().getValue().equals(usual.text)) {
      return usual;
    }
    for (Image other : others) {
      if (other.text.equals(value.asString().getValue())) {
        return other;
      }
    }
    throw new CommandException(
        ErrorCode.BAD_VALUE,
        "Enumeration value '%s' for field '%s.%s' is not a valid value."
            .formatted(value.asString().getValue(), STAGE, field));
  }

  private static @Nullable ResumeToken token(BsonDocument given, String field) {
    BsonValue value = StageFailures.typed(STAGE, given, field, BsonType.DOCUMENT);
    return value == null ? null : ResumeToken.parse(value.asDocument());
  }

  private static boolean isTrue(BsonDocument given, String field) {
    BsonValue value = given.getOrDefault(field, BsonBoolean.FALSE);
    if (!value.isBoolean()) {
      throw StageFailures.typeMismatch(
          "Field '%s' should be a boolean value, but found: %s"
              .formatted(field, BsonText.typeName(value)));
    }
    return value.asBoolean().getValue();
  }
}
