package dev.orrery.language.update;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.expression.ParseContext;
import dev.orrery.language.query.Filter;
import dev.orrery.language.query.FilterContext;
import dev.orrery.language.query.FilterParser;
import dev.orrery.language.query.MatchDetails;
import dev.orrery.value.BsonOrder;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawValue;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonTimestamp;
import org.bson.BsonValue;
import org.bson.types.ObjectId;
import org.jspecify.annotations.Nullable;

/** Documents in a list, updated through the classes of this package alone. */
final class TinyCollection {
  static final long NOW = 1_700_000_000_000L;

  static final UpdateClock CLOCK =
      new UpdateClock() {
        @Override
        public long nowMillis() {
          return NOW;
        }

        @Override
        public BsonTimestamp nextTimestamp() {
          return new BsonTimestamp(1_700_000_000, 1);
        }
      };

  private final List<RawDocument> documents = new ArrayList<>();

  private final String errorPrefix;

  /** {@code errorPrefix} goes in front of what is wrong with an update for a document. */
  TinyCollection(List<BsonDocument> documents, String errorPrefix) {
    this.errorPrefix = errorPrefix;
    documents.forEach(document -> this.documents.add(RawDocument.of(document)));
  }

  /** What one statement did. */
  record Outcome(int matched, int modified, @Nullable BsonValue upserted) {}

  /** Runs one statement of an update command. */
  Outcome update(BsonDocument statement, BsonDocument let) {
    var expressions = expressions(let);
    var update =
        UpdateParser.parse(RawValue.of(statement.get("u")), options(statement, expressions));
    var query = RawDocument.of(statement.getDocument("q"));
    boolean isUpsert = statement.getBoolean("upsert", BsonBoolean.FALSE).getValue();
    var context = FilterContext.of(expressions);
    var filter = isUpsert ? Upsert.parseFilter(query, context) : FilterParser.parse(query, context);
    boolean isMulti = statement.getBoolean("multi", BsonBoolean.FALSE).getValue();
    try {
      var outcome = update(filter, update, isMulti);
      return outcome.matched() == 0 && isUpsert ? insert(filter, update, statement) : outcome;
    } catch (CommandException e) {
      throw new CommandException(e.code(), errorPrefix + e.getMessage());
    }
  }

  private static ParseContext expressions(BsonDocument let) {
    var expressions = ParseContext.at(NOW).withClusterTime(CLOCK.nextTimestamp());
    for (var variable : let.entrySet()) {
      expressions = expressions.withConstant(variable.getKey(), variable.getValue());
    }
    return expressions;
  }

  private static UpdateOptions options(BsonDocument statement, ParseContext expressions) {
    var filters = new ArrayList<BsonDocument>();
    statement
        .getArray("arrayFilters", new BsonArray())
        .forEach(filter -> filters.add(filter.asDocument()));
    return new UpdateOptions(
        filters,
        statement.containsKey("c") ? statement.getDocument("c") : null,
        statement.getBoolean("multi", BsonBoolean.FALSE).getValue(),
        BsonOrder.CANONICAL,
        expressions);
  }

  private Outcome update(Filter filter, Update update, boolean isMulti) {
    int matched = 0;
    int modified = 0;
    for (int i = 0; i < documents.size() && (isMulti || matched == 0); i++) {
      var details = new MatchDetails();
      if (filter.matches(documents.get(i), details)) {
        var result = update.apply(documents.get(i), details.arrayIndex(), CLOCK);
        documents.set(i, result.document());
        matched++;
        modified += result.isModified() ? 1 : 0;
      }
    }
    return new Outcome(matched, modified, null);
  }

  private Outcome insert(Filter filter, Update update, BsonDocument statement) {
    var document =
        statement.getBoolean("upsertSupplied", BsonBoolean.FALSE).getValue()
            ? Upsert.supplied(
                filter, statement.getDocument("c").getDocument("new"), CLOCK, ObjectId::new)
            : Upsert.document(filter, update, CLOCK, ObjectId::new);
    documents.add(document);
    return new Outcome(1, 0, document.field("_id").toBsonValue());
  }

  List<BsonDocument> documents() {
    var decoded = new ArrayList<BsonDocument>();
    documents.forEach(document -> decoded.add(document.toBsonDocument()));
    return decoded;
  }
}
