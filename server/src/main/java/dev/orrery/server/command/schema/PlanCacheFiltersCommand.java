package dev.orrery.server.command.schema;

import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import org.bson.BsonArray;
import org.bson.BsonDocument;

/** {@code planCacheListFilters} and {@code planCacheClearFilters}: no index filters are kept. */
final class PlanCacheFiltersCommand implements Command {
  private final String name;

  private PlanCacheFiltersCommand(String name) {
    this.name = name;
  }

  static PlanCacheFiltersCommand list() {
    return new PlanCacheFiltersCommand("planCacheListFilters");
  }

  static PlanCacheFiltersCommand clear() {
    return new PlanCacheFiltersCommand("planCacheClearFilters");
  }

  @Override
  public Spec spec() {
    return Spec.of(name, Access.READ);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    body.collection();
    body.ignoreRest("query", "sort", "projection", "collation");
    body.finish();
    return name.equals("planCacheListFilters")
        ? new BsonDocument("filters", new BsonArray())
        : new BsonDocument();
  }
}
