package dev.orrery.server.advisor;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.query.Filter;
import dev.orrery.language.query.FilterParser;
import dev.orrery.server.workload.RecordedRequest;
import dev.orrery.server.workload.StandIns;
import dev.orrery.value.RawDocument;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** Takes requests apart into what they ask for; remembers which cursor reads what. */
final class Statements {
  private static final int CURSORS_MAX = 10_000;

  /** Documents of a first batch when nobody says how many. */
  private static final int FIRST_BATCH = 101;

  private static final String KEY_INDEX = "_shardKey_";

  private final Map<String, Filter> cursors =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Filter> eldest) {
          return size() > CURSORS_MAX;
        }
      };

  /** The path of the present key; null for a collection without one. */
  private final @Nullable String present;

  Statements(@Nullable String present) {
    this.present = present;
  }

  /** The statements of a request; none of one that asks for nothing that a key matters for. */
  List<Statement> of(RecordedRequest request) {
    BsonDocument body = request.body();
    try {
      return switch (request.target().command()) {
        case "find" -> List.of(find(request, body));
        case "count", "distinct" ->
            List.of(read(request, filter(body.get("query")), 0, Statement.Kind.READ));
        case "aggregate" -> List.of(aggregate(request, body));
        case "getMore" -> more(request);
        case "insert" -> inserts(request, body);
        case "update" -> updates(request, body);
        case "delete" -> deletes(request, body);
        case "findAndModify" -> List.of(findAndModify(request, body));
        default -> List.of();
      };
    } catch (CommandException e) {
      return List.of(); // it was refused then as well
    }
  }

  private static Filter filter(@Nullable BsonValue query) {
    return FilterParser.parse(query == null ? new BsonDocument() : query.asDocument());
  }

  private Statement find(RecordedRequest request, BsonDocument body) {
    Filter filter = filter(body.get("filter"));
    cursors.put(place(request), filter);
    boolean isSorted = body.containsKey("sort") && !body.getDocument("sort").isEmpty();
    int most = Math.min(number(body, "limit"), number(body, "batchSize"));
    int first = most == Integer.MAX_VALUE ? FIRST_BATCH : most;
    return read(request, filter, isSorted ? 0 : first, Statement.Kind.READ);
  }

  private static int number(BsonDocument body, String name) {
    BsonValue value = body.get(name);
    int number = value == null ? 0 : Math.abs(value.asNumber().intValue());
    return number == 0 ? Integer.MAX_VALUE : number;
  }

  private Statement aggregate(RecordedRequest request, BsonDocument body) {
    var all = new BsonArray();
    for (BsonValue stage : body.getArray("pipeline", new BsonArray())) {
      if (!stage.asDocument().containsKey("$match")) {
        break;
      }
      all.add(stage.asDocument().get("$match"));
    }
    Filter filter = filter(all.isEmpty() ? new BsonDocument() : new BsonDocument("$and", all));
    cursors.put(place(request), filter);
    return read(request, filter, 0, Statement.Kind.READ);
  }

  private List<Statement> more(RecordedRequest request) {
    Filter filter = cursors.get(place(request));
    return filter == null ? List.of() : List.of(read(request, filter, 0, Statement.Kind.READ_ON));
  }

  private static String place(RecordedRequest request) {
    return request.origin().connection() + " " + request.target().namespace();
  }

  private Statement read(RecordedRequest request, Filter filter, int limit, Statement.Kind kind) {
    return new Statement(kind, filter, null, List.of(), work(request, 1, limit));
  }

  /** What one of several equal statements did. */
  private Statement.Work work(RecordedRequest request, int count, int limit) {
    RecordedRequest.Outcome outcome = request.outcome();
    return new Statement.Work(
        outcome.twentyFirsts() / (double) count,
        access(outcome),
        outcome.bytesLoaded(),
        Math.max(1, outcome.partitions() / (double) count),
        outcome.results() / (double) count,
        limit);
  }

  private Statement.Access access(RecordedRequest.Outcome outcome) {
    String plan = outcome.plan();
    if (plan.isEmpty() || plan.contains("IDHACK") || plan.contains("EXPRESS")) {
      return Statement.Access.POINT;
    }
    if (plan.contains("COLLSCAN")) {
      return Statement.Access.SCAN;
    }
    boolean isKeyIndex =
        present != null
            && (plan.contains(KEY_INDEX) || plan.equals("IXSCAN { " + present + ": 1 }"));
    return isKeyIndex ? Statement.Access.KEY_INDEX : Statement.Access.INDEX;
  }

  private List<Statement> inserts(RecordedRequest request, BsonDocument body) {
    var statements = new ArrayList<Statement>();
    BsonArray documents = body.getArray("documents", new BsonArray());
    Statement.Work work = work(request, Math.max(1, documents.size()), 0);
    for (BsonValue document : documents) {
      RawDocument raw = RawDocument.of(StandIns.filled(document.asDocument()));
      statements.add(new Statement(Statement.Kind.INSERT, null, raw, List.of(), work));
    }
    return statements;
  }

  private List<Statement> updates(RecordedRequest request, BsonDocument body) {
    var statements = new ArrayList<Statement>();
    BsonArray updates = body.getArray("updates", new BsonArray());
    Statement.Work work = work(request, Math.max(1, updates.size()), 0);
    for (BsonValue one : updates) {
      BsonDocument update = one.asDocument();
      boolean isMulti = update.getBoolean("multi", BsonBoolean.FALSE).getValue();
      statements.add(
          change(
              isMulti ? Statement.Kind.UPDATE_MANY : Statement.Kind.UPDATE_ONE,
              filter(update.get("q")),
              update.get("u"),
              work));
    }
    return statements;
  }

  private static Statement change(
      Statement.Kind kind, Filter filter, @Nullable BsonValue update, Statement.Work work) {
    boolean isDocument = update != null && update.isDocument();
    boolean isReplacement =
        isDocument
            && !update.asDocument().isEmpty()
            && !update.asDocument().getFirstKey().startsWith("$");
    RawDocument document =
        isReplacement ? RawDocument.of(StandIns.filled(update.asDocument())) : null;
    var changed = new ArrayList<String>();
    if (isDocument && !isReplacement) {
      addPaths(update.asDocument(), changed);
    } else if (update != null && update.isArray()) {
      update.asArray().forEach(stage -> addPaths(stage.asDocument(), changed));
    }
    return new Statement(kind, filter, document, changed, work);
  }

  /** The fields that each operator, or each stage, names. */
  private static void addPaths(BsonDocument operators, List<String> changed) {
    operators.forEach(
        (operator, argument) -> {
          if (argument.isDocument() && !operator.equals("$setOnInsert")) {
            changed.addAll(argument.asDocument().keySet());
          } else if (operator.equals("$unset") && argument.isString()) {
            changed.add(argument.asString().getValue());
          }
        });
  }

  private List<Statement> deletes(RecordedRequest request, BsonDocument body) {
    var statements = new ArrayList<Statement>();
    BsonArray deletes = body.getArray("deletes", new BsonArray());
    Statement.Work work = work(request, Math.max(1, deletes.size()), 0);
    for (BsonValue one : deletes) {
      BsonDocument delete = one.asDocument();
      BsonValue limit = delete.get("limit");
      boolean isOne = limit != null && limit.isNumber() && limit.asNumber().intValue() == 1;
      statements.add(
          new Statement(
              isOne ? Statement.Kind.DELETE_ONE : Statement.Kind.DELETE_MANY,
              filter(delete.get("q")),
              null,
              List.of(),
              work));
    }
    return statements;
  }

  private Statement findAndModify(RecordedRequest request, BsonDocument body) {
    Filter filter = filter(body.get("query"));
    Statement.Work work = work(request, 1, 0);
    return body.containsKey("update")
        ? change(Statement.Kind.UPDATE_ONE, filter, body.get("update"), work)
        : new Statement(Statement.Kind.DELETE_ONE, filter, null, List.of(), work);
  }
}
