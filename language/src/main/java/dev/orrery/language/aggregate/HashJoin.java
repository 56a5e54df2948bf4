package dev.orrery.language.aggregate;

import dev.orrery.language.aggregate.stage.DocumentStream;
import dev.orrery.language.aggregate.stage.Documents;
import dev.orrery.language.aggregate.stage.PipelineRun;
import dev.orrery.language.limit.Allowance;
import dev.orrery.language.limit.Holding;
import dev.orrery.language.query.Filter;
import dev.orrery.value.BsonKey;
import dev.orrery.value.BsonOrder;
import dev.orrery.value.RawDocument;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonNull;
import org.bson.BsonType;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * The documents of a collection by the values of one field. The table only tells which documents
 * may have a value; the filter that a query would use decides, so that arrays, null and missing
 * fields mean the same as they do there.
 */
final class HashJoin {
  private static final int ENTRY_BYTES = 100;

  private final BsonOrder order;
  private final List<RawDocument> documents = new ArrayList<>();
  private final Map<BsonKey, Places> byValue = new HashMap<>();

  /** Documents in which the path may lead to nothing somewhere, which equals null. */
  private final Places withoutValue = new Places();

  /** Numbers of documents, in order, each once. */
  private static final class Places {
    private int[] places = new int[1];
    private int size;

    void add(int place) {
      if (size > 0 && places[size - 1] == place) {
        return;
      }
      if (size == places.length) {
        places = Arrays.copyOf(places, 2 * size);
      }
      places[size++] = place;
    }

    IntStream stream() {
      return Arrays.stream(places, 0, size);
    }
  }

  private HashJoin(BsonOrder order) {
    this.order = order;
  }

  /**
   * The table of what the stages before the equality give; null if it is too large.
   *
   * @param holding counts its memory, until the table is given up
   */
  static @Nullable HashJoin build(LookupStage stage, PipelineRun run, Holding holding) {
    Pipeline pipeline = stage.pipeline();
    var table = new HashJoin(pipeline.context().order());
    String[] path = stage.join().foreignField().split("\\.");
    try (DocumentStream stream = pipeline.part(0, stage.join().head()).open(run.fork())) {
      for (BsonDocument one = stream.next(); one != null; one = stream.next()) {
        if (!run.spill().fits(holding, table.add(one, path))) {
          holding.clear();
          return null;
        }
      }
    }
    return table;
  }

  /** Adds a document; tells how much memory it takes. */
  private long add(BsonDocument document, String[] path) {
    int place = documents.size();
    var raw = Documents.encode(document);
    documents.add(raw);
    var values = new ArrayList<BsonValue>();
    collect(document.get(path[0]), path, 1, values);
    long bytes = ENTRY_BYTES + raw.length();
    for (BsonValue value : values) {
      if (value.isNull() || value.getBsonType() == BsonType.UNDEFINED) {
        withoutValue.add(place);
      } else {
        byValue.computeIfAbsent(BsonKey.of(value, order), key -> new Places()).add(place);
        bytes += ENTRY_BYTES + Documents.heapBytes(value);
      }
    }
    return bytes;
  }

  /** All values that an equality may find at a path, and null where there may be none. */
  private static void collect(
      @Nullable BsonValue value, String[] path, int depth, List<BsonValue> values) {
    if (depth == path.length) {
      values.add(value == null ? BsonNull.VALUE : value);
      if (value instanceof BsonArray array) {
        values.addAll(array);
      }
    } else if (value instanceof BsonDocument fields) {
      collect(fields.get(path[depth]), path, depth + 1, values);
    } else {
      values.add(BsonNull.VALUE);
      if (value instanceof BsonArray array) {
        collectElements(array, path, depth, values);
      }
    }
  }

  private static void collectElements(
      BsonArray array, String[] path, int depth, List<BsonValue> values) {
    for (int i = 0; i < array.size(); i++) {
      if (array.get(i) instanceof BsonDocument fields) {
        collect(fields.get(path[depth]), path, depth + 1, values);
      }
      if (path[depth].equals(Integer.toString(i))) {
        collect(array.get(i), path, depth + 1, values);
      }
    }
  }

  /** The documents that a filter matches, which asks for equality with one of the values. */
  DocumentStream find(List<BsonValue> values, Filter filter) {
    var places = IntStream.empty();
    for (BsonValue value : values) {
      boolean isNothing = value.isNull() || value.getBsonType() == BsonType.UNDEFINED;
      Places some = isNothing ? withoutValue : byValue.get(BsonKey.of(value, order));
      if (some != null) {
        places = IntStream.concat(places, some.stream());
      }
    }
    int[] candidates = (values.size() == 1 ? places : places.sorted().distinct()).toArray();
    return new DocumentStream() {
      private int next;

      @Override
      public @Nullable BsonDocument next() {
        Allowance allowance = Allowance.current();
        while (next < candidates.length) {
          allowance.step();
          RawDocument candidate = documents.get(candidates[next++]);
          if (filter.matches(candidate)) {
            return candidate.asRawBson();
          }
        }
        return null;
      }
    };
  }
}
