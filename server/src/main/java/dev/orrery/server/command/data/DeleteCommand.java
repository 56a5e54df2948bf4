package dev.orrery.server.command.data;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.expression.ParseContext;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.FieldErrors;
import dev.orrery.server.command.RawNumbers;
import dev.orrery.server.command.ResumableWrite;
import dev.orrery.server.command.collection.ViewErrors;
import dev.orrery.server.command.collection.WriteTarget;
import dev.orrery.server.plan.Execution;
import dev.orrery.server.plan.ExplainVerbosity;
import dev.orrery.server.plan.Query;
import dev.orrery.server.plan.QueryPlan;
import dev.orrery.server.plan.Targets;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.StorageException;
import dev.orrery.storage.View;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawValue;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** {@code delete}: removes one or all documents that match, for each of its statements. */
public final class DeleteCommand implements Explainable {
  private static final Spec SPEC = Spec.ofWrite("delete");

  private final DataServices services;

  public DeleteCommand(DataServices services) {
    this.services = services;
  }

  @Override
  public Spec spec() {
    return SPEC;
  }

  /** One of the deletions. */
  record Statement(
      RawDocument filter,
      boolean isSingle,
      @Nullable BsonValue hint,
      @Nullable RawDocument collation) {
    static Statement parse(CommandReader fields) {
      RawDocument filter = fields.requireRawDocument("q");
      RawValue limit = fields.value("limit");
      if (limit == null) {
        throw FieldErrors.missing(fields.pathOf("limit"));
      }
      var statement =
          new Statement(
              filter, isSingle(limit), Hints.parse(fields), fields.rawDocument("collation"));
      fields.ignore("sampleId", "includeQueryStatsMetrics");
      fields.finish();
      return statement;
    }

    /** A limit that is no number counts as 0. */
    private static boolean isSingle(RawValue limit) {
      long number = limit.isNumber() ? RawNumbers.toLong(limit) : 0;
      if (number != 0 && number != 1) {
        throw new CommandException(
            ErrorCode.FAILED_TO_PARSE,
            "The limit field in delete objects must be 0 or 1. Got " + number);
      }
      return number == 1;
    }
  }

  /** What a delete asks for. */
  record Params(
      String collection, List<Statement> statements, boolean isOrdered, @Nullable RawDocument let) {
    static Params parse(CommandReader body) {
      String collection = body.collection();
      List<Statement> statements = new ArrayList<>();
      for (RawDocument document : body.requireDocuments("deletes")) {
        statements.add(Statement.parse(body.element("deletes", document)));
      }
      var params =
          new Params(collection, statements, body.bool("ordered", true), body.rawDocument("let"));
      body.ignore("bypassDocumentValidation", "stmtId", "stmtIds", "legacyRuntimeConstants");
      body.reject("encryptionInformation", "collectionUUID");
      body.finish();
      BulkReply.requireSize(statements.size());
      return params;
    }
  }

  @Override
  public CompletionStage<BsonDocument> start(CommandContext context, CommandReader body) {
    Params params = Params.parse(body);
    context.enterTransaction();
    WriteTarget.requireName(context, params.collection);
    context.operation().consistsOf(params.statements.size());
    ParseContext variables = QueryScope.variables(services, params.let);
    CollectionStore collection = services.databases().find(context.database(), params.collection);
    return RetryableWrites.once(
        context,
        services,
        writer -> {
          var bulk = new Bulk(writer, collection, params, variables);
          bulk.isAlone = isShort(collection, params, variables, context.view());
          return new ResumableWrite(services.workers(), context, bulk::run)
              .start(() -> Replanning.start(services.workers(), bulk.isAlone, bulk::run));
        });
  }

  private boolean isShort(
      @Nullable CollectionStore collection, Params params, ParseContext variables, View view) {
    if (params.statements.size() > 1) {
      return false;
    }
    if (collection == null || collection.info().isView()) {
      return true;
    }
    try {
      Query query = query(collection, params.statements.get(0), variables).at(view);
      return Plans.of(services.planner(), query).isShort();
    } catch (CommandException e) {
      BulkReply.requireGoingOn(e);
      return true; // the statement will fail as quickly again, in its place
    }
  }

  private static Query query(
      CollectionStore collection, Statement statement, ParseContext variables) {
    var scope = QueryScope.of(collection, statement.collation, variables);
    return Query.of(collection, scope.filter(statement.filter), statement.filter)
        .with(scope.collation())
        .with(new Query.Hints(statement.hint, null, null));
  }

  @Override
  public BsonDocument explain(
      CommandContext context, CommandReader body, ExplainVerbosity verbosity) {
    Params params = Params.parse(body);
    ExplainStages.requireOne(params.statements.size());
    CollectionStore collection = services.databases().find(context.database(), params.collection);
    ViewErrors.requireCollection(collection);
    if (collection == null) {
      return ExplainStages.ofNothing(
          new Namespace(context.database(), params.collection), verbosity);
    }
    ParseContext variables = QueryScope.variables(services, params.let);
    var writer = new DocumentWriter(services.databases(), context);
    QueryPlan plan =
        Plans.of(services.planner(), query(collection, params.statements.get(0), variables));
    Execution execution = writer.execution(services, collection, plan);
    return ExplainStages.ofDeletion(ExplainStages.priced(plan, collection, verbosity, execution));
  }

  /** One delete command at work. */
  private final class Bulk {
    private final @Nullable CollectionStore collection;
    private final Params params;
    private final ParseContext variables;
    private final DocumentWriter writer;
    private final BulkReply reply = new BulkReply(UnaryOperator.identity());

    /** The statement that is next, or was left in the middle, and what it has deleted so far. */
    private int next;

    private @Nullable Deletion begun;

    /** Whether the only statement runs where nothing may take long. */
    private boolean isAlone;

    Bulk(
        DocumentWriter writer,
        @Nullable CollectionStore collection,
        Params params,
        ParseContext variables) {
      this.writer = writer;
      this.collection = collection;
      this.params = params;
      this.variables = variables;
    }

    BsonDocument run() {
      for (; next < params.statements.size(); next++) {
        int i = next;
        Statement statement = params.statements.get(i);
        try {
          writer.requireSingle(statement.isSingle, "limit=0");
          if (writer.begin(i) != null) {
            reply.repeat(writer.statementId(i), 1);
          } else {
            reply.count(delete(statement));
            begun = null;
          }
        } catch (CommandException e) {
          BulkReply.requireGoingOn(e);
          begun = null;
          reply.fail(i, e);
          if (params.isOrdered || writer.isInTransaction()) {
            break;
          }
        }
      }
      return reply.toInsertReply();
    }

    private long delete(Statement statement) {
      if (collection == null) {
        QueryScope.of(null, statement.collation, variables).filter(statement.filter);
        return 0;
      }
      if (begun == null) {
        begun = begin(statement);
      }
      Deletion deletion = begun;
      if (isAlone) {
        isAlone = false; // the next attempt runs on the pool
        return delete(deletion, statement);
      }
      return Replanning.run(() -> delete(deletion, statement));
    }

    private Deletion begin(Statement statement) {
      writer.requireCollection(collection);
      Query query = query(collection, statement, variables).at(writer.view());
      if (statement.isSingle) {
        services.databases().requireTarget(collection, query.criteria().filter());
      }
      Targets targets = Plans.targets(query);
      writer.admit(targets);
      QueryPlan plan = Plans.of(services.planner(), query, targets);
      Supplier<QueryPlan> plans = Replanning.plans(plan, () -> Plans.of(services.planner(), query));
      return new Deletion(services, writer, collection, plans);
    }

    private long delete(Deletion deletion, Statement statement) {
      try {
        return statement.isSingle ? deletion.deleteOne() == null ? 0 : 1 : deletion.deleteAll();
      } catch (StorageException e) {
        if (e.reason() != StorageException.Reason.CORRUPT) {
          throw e;
        }
        return discard(statement, e);
      }
    }

    /** What cannot be read can still be given up by whoever names it by its key. */
    private long discard(Statement statement, StorageException failure) {
      DocumentKey key =
          statement.collation == null ? DocumentKey.find(collection, statement.filter) : null;
      if (key == null) {
        throw failure;
      }
      if (!writer.discard(collection, key)) {
        throw failure;
      }
      return 1;
    }
  }
}
