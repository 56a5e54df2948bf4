package dev.orrery.server.command.schema;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.query.Collation;
import dev.orrery.language.query.Filter;
import dev.orrery.language.query.FilterParser;
import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.collection.Databases;
import dev.orrery.server.plan.Planner;
import dev.orrery.server.plan.Query;
import dev.orrery.server.plan.bounds.IndexFilters;
import dev.orrery.storage.CollectionStore;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/**
 * {@code planCacheSetFilter}, {@code planCacheListFilters} and {@code planCacheClearFilters}: which
 * indexes queries of a shape may use.
 */
final class PlanCacheFilterCommands {
  private final Databases databases;

  PlanCacheFilterCommands(Databases databases) {
    this.databases = databases;
  }

  Command clear() {
    return new Clear();
  }

  Command list() {
    return new ListThem();
  }

  Command set() {
    return new Set();
  }

  /** What gives a shape, as the user wrote it. */
  private record Given(
      RawDocument query, RawDocument sort, RawDocument projection, RawDocument collation) {
    static Given parse(CommandReader body) {
      return new Given(
          part(body, "query"),
          part(body, "sort"),
          part(body, "projection"),
          part(body, "collation"));
    }

    private static RawDocument part(CommandReader body, String name) {
      RawValue value = body.value(name);
      if (value != null && !value.isDocument()) {
        String kind = name.equals("query") ? "required" : "optional";
        throw refused("%s field %s must be an object".formatted(kind, name));
      }
      return value == null ? RawDocument.EMPTY : value.asDocument();
    }

    String shape(CollectionStore collection) {
      Filter filter = FilterParser.parse(query.toBsonDocument());
      Query plain =
          Query.of(collection, filter, query)
              .with(new Query.Order(null, sort, false))
              .with(new Query.Output(null, projection, false, false));
      return Planner.shape(
          collation.isEmpty()
              ? plain
              : plain.with(Collation.parse(CollationOption.complete(collation.toBsonDocument()))));
    }

    BsonDocument description() {
      var description =
          new BsonDocument("query", query.toBsonDocument())
              .append("sort", sort.toBsonDocument())
              .append("projection", projection.toBsonDocument());
      return collation.isEmpty()
          ? description
          : description.append("collation", collation.toBsonDocument());
    }
  }

  private static CommandException refused(String message) {
    return new CommandException(ErrorCode.BAD_VALUE, message);
  }

  private @Nullable CollectionStore find(CommandContext context, String name) {
    CollectionStore collection = databases.find(context.database(), name);
    return collection == null || collection.info().isView() ? null : collection;
  }

  private final class Set implements Command {
    @Override
    public Spec spec() {
      return Spec.of("planCacheSetFilter", Access.WRITE);
    }

    @Override
    public BsonDocument run(CommandContext context, CommandReader body) {
      String name = body.collection();
      boolean hasQuery = body.has("query");
      Given given = Given.parse(body);
      RawValue indexes = body.value("indexes");
      body.ignore("comment");
      body.finish();
      CollectionStore collection = find(context, name);
      if (collection == null) {
        throw refused("no such collection");
      }
      BsonArray allowed = indexes(indexes);
      if (!hasQuery) {
        throw refused("required field query missing");
      }
      databases
          .indexFilters()
          .set(
              collection.info().uuid(),
              given.shape(collection),
              new IndexFilters.Entry(given.description(), allowed));
      return new BsonDocument();
    }

    private static BsonArray indexes(@Nullable RawValue given) {
      if (given == null) {
        throw refused("required field indexes missing");
      }
      if (!given.isArray()) {
        throw refused("required field indexes must be an array");
      }
      List<RawValue> values = given.asDocument().toValues();
      if (values.isEmpty()) {
        throw refused("required field indexes must contain at least one index");
      }
      for (RawValue value : values) {
        if (value.isDocument() && value.asDocument().isEmpty()) {
          throw refused("index specification cannot be empty");
        }
        if (!value.isDocument() && value.type() != RawTypes.STRING) {
          throw refused("each item in indexes must be an object");
        }
      }
      return given.toBsonValue().asArray();
    }
  }

  private final class ListThem implements Command {
    @Override
    public Spec spec() {
      return Spec.of("planCacheListFilters", Access.READ);
    }

    @Override
    public BsonDocument run(CommandContext context, CommandReader body) {
      String name = body.collection();
      body.ignoreRest();
      body.finish();
      CollectionStore collection = find(context, name);
      var filters = new BsonArray();
      if (collection != null) {
        for (IndexFilters.Entry entry : databases.indexFilters().list(collection.info().uuid())) {
          filters.add(entry.description().clone().append("indexes", entry.indexes()));
        }
      }
      return new BsonDocument("filters", filters);
    }
  }

  private final class Clear implements Command {
    @Override
    public Spec spec() {
      return Spec.of("planCacheClearFilters", Access.WRITE);
    }

    @Override
    public BsonDocument run(CommandContext context, CommandReader body) {
      String name = body.collection();
      boolean isOne = body.has("query");
      boolean hasMore = body.has("sort") || body.has("projection") || body.has("collation");
      Given given = Given.parse(body);
      body.ignore("comment");
      body.finish();
      if (!isOne && hasMore) {
        throw refused("sort, projection, or collation provided without query");
      }
      CollectionStore collection = find(context, name);
      if (collection != null && isOne) {
        databases.indexFilters().clear(collection.info().uuid(), given.shape(collection));
      } else if (collection != null) {
        databases.indexFilters().clear(collection.info().uuid());
      }
      return new BsonDocument();
    }
  }
}
