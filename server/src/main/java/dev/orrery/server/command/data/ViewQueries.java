package dev.orrery.server.command.data;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.query.Collation;
import dev.orrery.storage.CollectionStore;
import dev.orrery.value.RawDocument;
import java.util.function.Supplier;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** Reads of views as the aggregations they are. */
final class ViewQueries {
  private ViewQueries() {}

  static BsonDocument find(FindParams params) {
    requireAllowed(params);
    FindParams.Selection selection = params.selection();
    FindParams.Page page = params.page();
    var pipeline = new BsonArray();
    addStage(pipeline, "$match", selection.filter());
    addStage(pipeline, "$sort", selection.sort());
    addWindow(pipeline, page.skip(), page.limit());
    addStage(pipeline, "$project", params.output().projection());
    var cursor = new BsonDocument();
    if (page.isSingleBatch()) {
      cursor.append("batchSize", new BsonInt64(Integer.MAX_VALUE));
    } else if (page.batchSize() >= 0) {
      cursor.append("batchSize", new BsonInt64(page.batchSize()));
    }
    var command =
        aggregate(params.collection(), pipeline, selection.collation())
            .append("cursor", cursor)
            .append("allowDiskUse", BsonBoolean.valueOf(params.mode().usesDisk()));
    if (selection.guide().hint() != null) {
      command.append("hint", selection.guide().hint());
    }
    if (selection.let() != null) {
      command.append("let", selection.let().asRawBson());
    }
    return command;
  }

  /** Refuses what no aggregation can do. */
  private static void requireAllowed(FindParams params) {
    FindParams.Guide guide = params.selection().guide();
    FindParams.Page page = params.page();
    refuse(guide.min() != null, "min");
    refuse(guide.max() != null, "max");
    refuse(params.output().isKeyOnly(), "returnKey");
    refuse(params.output().hasRecordId(), "showRecordId");
    refuse(params.mode().isTailable(), "tailable");
    refuse(params.mode().hasNoTimeout(), "noCursorTimeout");
    refuse(page.isSingleBatch() && page.limit() != 1, "singleBatch");
    if (params.selection().sort().field("$natural") != null) {
      throw new CommandException(
          ErrorCode.INVALID_PIPELINE_OPERATOR,
          "Sort option $natural not supported in aggregation.");
    }
  }

  private static void refuse(boolean isUsed, String option) {
    if (isUsed) {
      throw new CommandException(
          ErrorCode.INVALID_PIPELINE_OPERATOR,
          "Option " + option + " not supported in aggregation.");
    }
  }

  /** A view has one collation, and no command may ask for another. */
  static void requireCollation(CollectionStore view, @Nullable RawDocument collation) {
    if (collation == null) {
      return;
    }
    BsonValue own = view.info().options().get("collation");
    Collation given = Collation.parse(collation.toBsonDocument());
    if (!given.equals(own == null ? Collation.SIMPLE : Collation.parse(own.asDocument()))) {
      throw new CommandException(
          ErrorCode.OPTION_NOT_SUPPORTED_ON_VIEW, "Cannot override a view's default collation");
    }
  }

  /** What a command is on a view; null when it is on none. */
  static @Nullable BsonDocument onView(
      @Nullable CollectionStore collection,
      @Nullable RawDocument collation,
      Supplier<BsonDocument> aggregate) {
    if (collection == null || !collection.info().isView()) {
      return null;
    }
    requireCollation(collection, collation);
    return aggregate.get();
  }

  /** The filter, skip and limit of a count, and then {@code {count: n}} unless it is 0. */
  static BsonDocument count(
      String view, RawDocument filter, Window window, @Nullable RawDocument collation) {
    var pipeline = new BsonArray();
    addStage(pipeline, "$match", filter);
    addWindow(pipeline, window.skip(), window.limit());
    pipeline.add(new BsonDocument("$count", new BsonString("count")));
    return aggregate(view, pipeline, collation).append("cursor", new BsonDocument());
  }

  /** All values of the field as one array {@code distinct}, or no document when there are none. */
  static BsonDocument distinct(DistinctCommand.Params params) {
    var pipeline = new BsonArray();
    addStage(pipeline, "$match", params.filter());
    String[] parts = params.key().split("\\.");
    var path = new StringBuilder("$");
    for (String part : parts) {
      path.append(path.length() == 1 ? "" : ".").append(part);
      pipeline.add(
          new BsonDocument(
              "$unwind",
              new BsonDocument("path", new BsonString(path.toString()))
                  .append("preserveNullAndEmptyArrays", BsonBoolean.TRUE)));
    }
    var key = new BsonString("$" + params.key());
    pipeline.add(
        new BsonDocument(
            "$group",
            new BsonDocument("_id", BsonNull.VALUE)
                .append("distinct", new BsonDocument("$addToSet", key))));
    return aggregate(params.collection(), pipeline, params.collation())
        .append("cursor", new BsonDocument());
  }

  /** Which of the documents; a limit of 0 is none. */
  record Window(long skip, long limit) {}

  private static BsonDocument aggregate(
      String view, BsonArray pipeline, @Nullable RawDocument collation) {
    var command = new BsonDocument("aggregate", new BsonString(view)).append("pipeline", pipeline);
    if (collation != null) {
      command.append("collation", collation.asRawBson());
    }
    return command;
  }

  private static void addStage(BsonArray pipeline, String name, @Nullable RawDocument argument) {
    if (argument != null && !argument.isEmpty()) {
      pipeline.add(new BsonDocument(name, argument.asRawBson()));
    }
  }

  private static void addWindow(BsonArray pipeline, long skip, long limit) {
    addNumber(pipeline, "$skip", skip);
    addNumber(pipeline, "$limit", limit);
  }

  private static void addNumber(BsonArray pipeline, String name, long number) {
    if (number > 0) {
      BsonValue value = new BsonInt64(number);
      pipeline.add(new BsonDocument(name, value));
    }
  }
}
