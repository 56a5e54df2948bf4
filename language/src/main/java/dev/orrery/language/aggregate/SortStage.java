package dev.orrery.language.aggregate;

import dev.orrery.language.aggregate.stage.DocumentStream;
import dev.orrery.language.aggregate.stage.PipelineContext;
import dev.orrery.language.aggregate.stage.PipelineRun;
import dev.orrery.language.aggregate.stage.SortKey;
import dev.orrery.language.aggregate.stage.Sorter;
import dev.orrery.language.aggregate.stage.Stage;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.expression.Dependencies;
import dev.orrery.language.query.FilterMetadata;
import dev.orrery.value.RawDocument;
import java.util.List;
import java.util.Set;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * {@code $sort}: the documents in the order of some fields.
 *
 * @param limit how many are needed; 0 is all
 */
record SortStage(SortKey key, BsonDocument pattern, long limit) implements Stage {
  /** What the query before may tell; whether it does is asked of the whole pipeline. */
  private static final Set<String> METADATA = Set.of(FilterMetadata.SCORE, FilterMetadata.DISTANCE);

  static List<Stage> parse(String name, BsonValue argument, PipelineContext context) {
    if (!argument.isDocument()) {
      throw new CommandException(
          ErrorCode.LOCATION_15973, "the $sort key specification must be an object");
    }
    if (argument.asDocument().isEmpty()) {
      throw new CommandException(
          ErrorCode.LOCATION_15976, "$sort stage must have at least one sort key");
    }
    return List.of(of(argument.asDocument(), context));
  }

  static SortStage of(BsonDocument pattern, PipelineContext context) {
    var key = SortKey.parse(pattern, context.order(), METADATA);
    return new SortStage(key, pattern, 0);
  }

  SortStage withLimit(long newLimit) {
    long least = limit == 0 ? newLimit : Math.min(limit, newLimit);
    return new SortStage(key, pattern, least);
  }

  RawDocument rawPattern() {
    return RawDocument.of(pattern);
  }

  @Override
  public String name() {
    return "$sort";
  }

  @Override
  public BsonDocument specification() {
    if (limit == 0) {
      return new BsonDocument("$sort", new BsonDocument("sortKey", pattern));
    }
    return new BsonDocument(
        "$sort", new BsonDocument("sortKey", pattern).append("limit", new BsonInt64(limit)));
  }

  @Override
  public boolean addDependencies(Dependencies dependencies) {
    key.paths().forEach(dependencies::addField);
    key.metadata().forEach(dependencies::addMetadata);
    return false;
  }

  @Override
  public DocumentStream open(DocumentStream input, PipelineRun run) {
    return new DocumentStream() {
      private @Nullable Sorter sorter;
      private boolean isOfSearch;

      @Override
      public @Nullable BsonDocument next() {
        if (sorter == null) {
          sorter = sort();
        }
        BsonDocument next = sorter.next();
        return isOfSearch && next != null ? Metadata.unpack(next, run.scope()) : next;
      }

      private Sorter sort() {
        var filled = new Sorter(run.spill(), limit);
        BsonDocument one = input.next();
        isOfSearch = !run.scope().metadata().isEmpty();
        for (; one != null; one = input.next()) {
          if (isOfSearch) {
            filled.add(key.of(one, run.scope().metadata()), Metadata.pack(one, run.scope()));
          } else {
            filled.add(key.of(one), one);
          }
        }
        filled.finish();
        return filled;
      }

      @Override
      public void close() {
        if (sorter != null) {
          sorter.close();
        }
        input.close();
      }
    };
  }
}
