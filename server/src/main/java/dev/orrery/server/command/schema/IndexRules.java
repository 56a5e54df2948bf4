package dev.orrery.server.command.schema;

import static dev.orrery.language.error.ErrorCode.CANNOT_CREATE_INDEX;

import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.query.Collation;
import java.util.Set;
import org.bson.BsonDocument;
import org.bson.BsonType;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** What a well-formed index description must obey besides: expiry, wildcards, filters, names. */
public final class IndexRules {
  private static final Set<String> WITH_COLLATION =
      Set.of("", GeoIndexRules.SPHERE, "hashed", IndexKeyPattern.WILDCARD);

  private IndexRules() {}

  /**
   * Refuses expiry that makes no sense; {@code spec} is shown as it was given.
   *
   * @param mayNever whether -1 stands for never, as for Cosmos DB
   */
  public static void requireExpiry(BsonDocument spec, boolean mayNever) {
    BsonValue value = spec.get("expireAfterSeconds");
    if (value == null) {
      return;
    }
    if (mayNever && value.isNumber() && value.asNumber().doubleValue() == -1) {
      return;
    }
    String problem = expiryProblem(value);
    if (problem != null) {
      throw new CommandException(
          CANNOT_CREATE_INDEX,
          ". Index spec: " + BsonText.document(spec) + " :: caused by :: " + problem);
    }
    if (spec.getDocument("key").size() != 1) {
      throw new CommandException(
          CANNOT_CREATE_INDEX,
          "TTL indexes are single-field indexes, compound indexes do not support TTL. Index"
              + " spec: "
              + BsonText.document(spec));
    }
  }

  private static @Nullable String expiryProblem(BsonValue value) {
    if (!IndexDefinition.isNumber(value)) {
      // MongoDB forgets the closing quote.
      return "TTL index 'expireAfterSeconds' option must be numeric, but received a type of '"
          + BsonText.typeName(value);
    }
    double number =
        value.getBsonType() == BsonType.DECIMAL128
            ? value.asDecimal128().getValue().doubleValue()
            : value.asNumber().doubleValue();
    if (Double.isNaN(number)) {
      return "TTL index 'expireAfterSeconds' option must not be NaN";
    }
    long seconds = (long) number;
    if (seconds != (int) seconds) {
      return "TTL index 'expireAfterSeconds' must be within the range of a 32-bit integer";
    }
    return seconds < 0 ? "TTL index 'expireAfterSeconds' option cannot be less than 0" : null;
  }

  /**
   * Refuses what a collection cannot take, and completes what it can. The errors name the whole
   * description, with its version and its collation.
   */
  public static BsonDocument require(BsonDocument spec, BsonDocument collectionOptions) {
    BsonDocument complete;
    try {
      requireName(spec.getString("name").getValue());
      requireCollation(spec);
      if (IndexDefinition.kind(spec).equals(IndexKeyPattern.WILDCARD)) {
        requireWildcard(spec);
      }
      if (spec.containsKey("partialFilterExpression")) {
        if (IndexDefinition.isTrue(spec, "sparse")) {
          throw refused("cannot mix \"partialFilterExpression\" and \"sparse\" options");
        }
        PartialFilters.require(spec.getDocument("partialFilterExpression"));
      }
      if (spec.containsKey("clustered") && !collectionOptions.containsKey("clusteredIndex")) {
        throw new CommandException(
            ErrorCode.LOCATION_6243700,
            "Cannot create index with option 'clustered' that does not match an existing"
                + " clustered index");
      }
      requireStorageEngine(spec.get("storageEngine"));
      complete = TextIndexRules.fixed(GeoIndexRules.fixed(spec));
    } catch (CommandException e) {
      throw IndexDefinition.inSpecification(spec, e);
    }
    if (spec.containsKey("expireAfterSeconds")
        && CollectionOptions.isTrue(collectionOptions, "capped")) {
      throw refused("Cannot create TTL index on a capped collection");
    }
    return complete;
  }

  private static void requireName(String name) {
    if (name.indexOf('\0') >= 0) {
      throw refused("index name cannot contain NUL bytes");
    }
    if (name.isEmpty()) {
      throw refused("index name cannot be empty");
    }
  }

  private static void requireCollation(BsonDocument spec) {
    BsonDocument collation = spec.getDocument("collation", null);
    String kind = IndexDefinition.kind(spec);
    if (collation != null && !WITH_COLLATION.contains(kind)) {
      throw refused(
          "Index type '%s' does not support collation: %s"
              .formatted(kind, BsonText.document(collation)));
    }
  }

  private static void requireWildcard(BsonDocument spec) {
    for (String option : new String[] {"sparse", "unique"}) {
      if (IndexDefinition.isTrue(spec, option)) {
        throw refused("Index type 'wildcard' does not support the '" + option + "' option");
      }
    }
    if (spec.containsKey("expireAfterSeconds")) {
      throw refused(
          "cannot make a TTL index :: caused by :: Index type 'wildcard' does not support the"
              + " 'expireAfterSeconds' option");
    }
    if (spec.getNumber("v").intValue() < 2) {
      throw refused("Index type 'wildcard' is not allowed with index version v: 1");
    }
  }

  private static void requireStorageEngine(@Nullable BsonValue options) {
    if (options == null) {
      return;
    }
    if (!options.isDocument()) {
      throw refused("\"storageEngine\" options must be a document if present");
    }
    if (options.asDocument().isEmpty()) {
      throw refused(
          "Empty \"storageEngine\" options are invalid. Please remove the field or include valid"
              + " options.");
    }
    CollectionOptions.requireStorageEngine(options.asDocument());
  }

  /** The index on {@code _id} has the collation of its collection. */
  static void requireIdCollation(BsonDocument spec, @Nullable BsonDocument ofCollection) {
    BsonDocument own = spec.getDocument("collation", null);
    boolean isSame = own == null ? ofCollection == null : own.equals(ofCollection);
    if (IndexKeyPattern.isId(spec.getDocument("key")) && !isSame) {
      throw new CommandException(
          ErrorCode.BAD_VALUE,
          "The _id index must have the same collation as the collection. Index collation: %s, collection collation: %s"
              .formatted(text(own), text(ofCollection)));
    }
  }

  private static String text(@Nullable BsonDocument collation) {
    return BsonText.document(collation == null ? Collation.SIMPLE.specification() : collation);
  }

  private static CommandException refused(String message) {
    return new CommandException(CANNOT_CREATE_INDEX, message);
  }
}
