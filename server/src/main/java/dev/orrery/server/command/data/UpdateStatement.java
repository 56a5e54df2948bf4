package dev.orrery.server.command.data;

import dev.orrery.language.update.UpdateParser;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.FieldErrors;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawValue;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** One update as it was written: which documents, and what becomes of them. */
record UpdateStatement(Target target, RawValue update, Options options) {
  /** Which documents; the sort says which one of many. */
  record Target(
      RawDocument filter,
      RawDocument sort,
      @Nullable BsonValue hint,
      @Nullable RawDocument collation) {}

  /**
   * How.
   *
   * @param constants the variables of a pipeline, or null
   * @param isSupplied whether an upsert inserts {@code constants.new} instead
   */
  record Options(
      List<BsonDocument> arrayFilters,
      @Nullable BsonDocument constants,
      boolean isMulti,
      boolean isUpsert,
      boolean isSupplied) {}

  /** Reads one of the elements of {@code updates}. */
  static UpdateStatement parse(CommandReader fields) {
    RawDocument filter = fields.requireRawDocument("q");
    RawValue update = fields.value("u");
    if (update == null) {
      throw FieldErrors.missing(fields.pathOf("u"));
    }
    UpdateParser.requireForm(update);
    RawDocument constants = fields.rawDocument("c");
    var options =
        new Options(
            decoded(fields.documents("arrayFilters")),
            constants == null ? null : constants.toBsonDocument(),
            fields.bool("multi", false),
            fields.bool("upsert", false),
            fields.optionalBool("upsertSupplied", false));
    var target =
        new Target(filter, RawDocument.EMPTY, Hints.parse(fields), fields.rawDocument("collation"));
    fields.ignore("sampleId", "allowShardKeyUpdatesWithoutFullShardKeyInQuery");
    fields.finish();
    return new UpdateStatement(target, update, options);
  }

  private static List<BsonDocument> decoded(List<RawDocument> documents) {
    return documents.isEmpty()
        ? List.of()
        : documents.stream().map(RawDocument::toBsonDocument).toList();
  }
}
