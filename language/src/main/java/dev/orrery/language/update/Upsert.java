package dev.orrery.language.update;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.query.Equalities;
import dev.orrery.language.query.Filter;
import dev.orrery.language.query.FilterContext;
import dev.orrery.language.query.FilterParser;
import dev.orrery.value.RawDocument;
import java.util.EnumSet;
import java.util.List;
import java.util.function.Supplier;
import org.bson.BsonDocument;
import org.bson.BsonObjectId;
import org.bson.types.ObjectId;

/** What an update inserts when its filter matches nothing. */
public final class Upsert {
  private Upsert() {}

  /** Parses the filter of a statement that may insert: {@code $expr} says not what to insert. */
  public static Filter parseFilter(RawDocument filter, FilterContext context) {
    var features = EnumSet.noneOf(FilterContext.Feature.class);
    features.addAll(context.features());
    features.remove(FilterContext.Feature.EXPRESSION);
    try {
      return FilterParser.parse(filter, context.allowing(features));
    } catch (CommandException e) {
      throw e.code() == ErrorCode.QUERY_FEATURE_NOT_ALLOWED
          ? new CommandException(
              e.code(), "$expr is not allowed in the query predicate for an upsert")
          : e;
    }
  }

  /**
   * The new document: the values that the filter asks for, changed by the update, with an {@code
   * _id} in front.
   */
  public static RawDocument document(
      Filter filter, Update update, UpdateClock clock, Supplier<ObjectId> ids) {
    var document =
        update.keepsFilterFields()
            ? Equalities.document(filter)
            : Equalities.document(filter, List.of("_id"));
    return complete(update.inserted(document, clock), ids);
  }

  /** The same with a document given beforehand in the place of the update: upsertSupplied. */
  public static RawDocument supplied(
      Filter filter, BsonDocument supplied, UpdateClock clock, Supplier<ObjectId> ids) {
    return document(filter, new ReplacementUpdate(supplied), clock, ids);
  }

  private static RawDocument complete(BsonDocument document, Supplier<ObjectId> ids) {
    if (!document.containsKey("_id")) {
      document.put("_id", new BsonObjectId(ids.get()));
    }
    DocumentRules.requireStorable(document, true);
    return DocumentRules.encodedForInsert(document);
  }
}
