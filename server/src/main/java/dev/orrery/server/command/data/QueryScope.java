package dev.orrery.server.command.data;

import dev.orrery.lane.Lane;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.expression.Dependencies;
import dev.orrery.language.expression.Expression;
import dev.orrery.language.expression.Expressions;
import dev.orrery.language.expression.ParseContext;
import dev.orrery.language.expression.Scope;
import dev.orrery.language.expression.VariableNames;
import dev.orrery.language.query.Collation;
import dev.orrery.language.query.Filter;
import dev.orrery.language.query.FilterContext;
import dev.orrery.language.query.FilterParser;
import dev.orrery.language.query.GeoFilters;
import dev.orrery.language.query.TextFilters;
import dev.orrery.storage.CollectionStore;
import dev.orrery.value.RawDocument;
import java.util.Map;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * What the filters, sorts, projections and updates of one command mean beyond their own text: the
 * collation, and the variables that their expressions see.
 */
record QueryScope(Collation collation, ParseContext variables) {
  /** The variables that every command has: the time, and what {@code let} defines. */
  static ParseContext variables(DataServices services, @Nullable RawDocument let) {
    ParseContext variables =
        ParseContext.at(services.clock().millis()).withClusterTime(services.clusterClock().now());
    if (let == null) {
      return variables;
    }
    Lane.requireMayWait(); // expressions may take their time
    for (Map.Entry<String, BsonValue> entry : let.toBsonDocument().entrySet()) {
      VariableNames.requireWritable(entry.getKey());
      variables = variables.withConstant(entry.getKey(), constant(entry.getValue(), variables));
    }
    return variables;
  }

  private static @Nullable BsonValue constant(BsonValue definition, ParseContext variables) {
    Expression expression = Expressions.parse(definition, variables);
    Dependencies dependencies = Dependencies.of(expression);
    if (dependencies.needsWholeDocument() || !dependencies.fields().isEmpty()) {
      throw new CommandException(
          ErrorCode.LOCATION_4890500,
          "Command let Expression tried to access a field, but this is not allowed because"
              + "Command let Expressions run before the query examines any documents.");
    }
    return expression.evaluate(new Scope());
  }

  /**
   * The scope of one query.
   *
   * @param collection null when it does not exist
   * @param collation what the user asks for, or null for the collection's own
   */
  static QueryScope of(
      @Nullable CollectionStore collection,
      @Nullable RawDocument collation,
      ParseContext variables) {
    Collation parsed =
        collation != null ? Collation.parse(collation.toBsonDocument()) : ownCollation(collection);
    return new QueryScope(parsed, variables.withOrder(parsed.order()));
  }

  private static Collation ownCollation(@Nullable CollectionStore collection) {
    BsonValue own = collection == null ? null : collection.info().options().get("collation");
    return own == null ? Collation.SIMPLE : Collation.parse(own.asDocument());
  }

  FilterContext filters() {
    return FilterContext.of(variables).withOrder(collation.order());
  }

  Filter filter(@Nullable RawDocument filter) {
    if (filter == null) {
      return Filter.ALL;
    }
    Filter parsed = FilterParser.parse(filter, filters());
    boolean hasNear = GeoFilters.findNear(parsed) != null; // refuses what stands where it cannot
    if (TextFilters.find(parsed) != null && hasNear) {
      throw TextFilters.besideNear();
    }
    return parsed;
  }
}
