package dev.orrery.server.command.data;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.expression.ParseContext;
import dev.orrery.server.command.ClaimedException;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.ResumableWrite;
import dev.orrery.server.command.collection.TimeSeries;
import dev.orrery.server.command.collection.ViewErrors;
import dev.orrery.server.command.collection.WriteTarget;
import dev.orrery.server.plan.ExplainVerbosity;
import dev.orrery.storage.CollectionStore;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawDocument;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** {@code update}: changes one or all documents that match, for each of its statements. */
public final class UpdateCommand implements Explainable {
  private static final Spec SPEC = Spec.ofWrite("update");

  private final DataServices services;

  public UpdateCommand(DataServices services) {
    this.services = services;
  }

  @Override
  public Spec spec() {
    return SPEC;
  }

  /** What an update asks for. */
  record Params(
      String collection,
      List<UpdateStatement> statements,
      boolean isOrdered,
      boolean isUnchecked,
      @Nullable RawDocument let) {
    static Params parse(CommandReader body) {
      String collection = body.collection();
      List<UpdateStatement> statements = new ArrayList<>();
      for (RawDocument document : body.requireDocuments("updates")) {
        statements.add(UpdateStatement.parse(body.element("updates", document)));
      }
      var params =
          new Params(
              collection,
              statements,
              body.bool("ordered", true),
              body.safeBool("bypassDocumentValidation", false),
              body.rawDocument("let"));
      body.ignore("stmtId", "stmtIds", "legacyRuntimeConstants", "isTimeseriesNamespace");
      body.ignore("bypassEmptyTsReplacement"); // mongoimport sends it; only inserts obey it
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
    return RetryableWrites.once(
        context,
        services,
        writer -> {
          var bulk = new Bulk(context, params, writer);
          boolean isShort = bulk.isShort();
          bulk.isAlone = isShort;
          return new ResumableWrite(services.workers(), context, bulk::run)
              .start(() -> Replanning.start(services.workers(), isShort, bulk::run));
        });
  }

  @Override
  public BsonDocument explain(
      CommandContext context, CommandReader body, ExplainVerbosity verbosity) {
    Params params = Params.parse(body);
    ExplainStages.requireOne(params.statements.size());
    ViewErrors.requireCollection(services.databases().find(context.database(), params.collection));
    var writer = new DocumentWriter(services.databases(), context);
    var bulk = new Bulk(context, params, writer);
    var modification = new Modification(bulk.site, params.statements.get(0), bulk.variables);
    return modification.explain(verbosity);
  }

  /** One update command at work. */
  private final class Bulk {
    private final CommandContext context;
    private final Params params;
    private final ParseContext variables;
    private final Modification.Site site;
    private final BulkReply reply;
    private @Nullable Modification first;

    /** The statement that is next, or was left in the middle. */
    private int next;

    /** Whether the only statement runs where nothing may take long. */
    private boolean isAlone;

    Bulk(CommandContext context, Params params, DocumentWriter writer) {
      this.context = context;
      this.params = params;
      var namespace = new Namespace(context.database(), params.collection);
      this.reply = new BulkReply(failure -> services.databases().worded(failure, namespace));
      this.variables = QueryScope.variables(services, params.let);
      this.site =
          new Modification.Site(
              services, writer, context.database(), params.collection, params.isUnchecked);
    }

    /** A single update by primary key needs no other thread. */
    boolean isShort() {
      if (params.statements.size() > 1) {
        return false;
      }
      try {
        first = new Modification(site, params.statements.get(0), variables);
        return first.isShort();
      } catch (CommandException e) {
        BulkReply.requireGoingOn(e);
        return true; // the statement fails as quickly again, in its place
      }
    }

    BsonDocument run() {
      for (; next < params.statements.size(); next++) {
        int i = next;
        try {
          boolean isMulti = params.statements.get(i).options().isMulti();
          site.writer().requireSingle(!isMulti, "multi=true");
          requireAllowed(params.statements.get(i));
          RetryRecord before = site.writer().begin(i);
          if (before == null) {
            Modification.Result result = run(i);
            count(i, result);
            if (result.refusal() != null) {
              throw result.refusal();
            }
          } else {
            repeat(i, before);
          }
        } catch (CommandException e) {
          BulkReply.requireGoingOn(e);
          reply.fail(i, e);
          if (params.isOrdered || site.writer().isInTransaction()) {
            break;
          }
        }
      }
      return reply.toUpdateReply();
    }

    /** Of the measurements of a time series only the meta value can be changed. */
    private void requireAllowed(UpdateStatement statement) {
      CollectionStore collection = services.databases().find(context.database(), params.collection);
      TimeSeries series = collection == null ? null : TimeSeries.of(collection.info());
      if (series == null) {
        return;
      }
      series.requireUpdate(statement.options().isMulti(), statement.options().isUpsert());
      series.requireMetaFilter(statement.target().filter().toBsonDocument());
      series.requireMetaUpdate(statement.update().toBsonValue());
    }

    /** A statement fails for want of an index before it changes anything. */
    private Modification.Result run(int index) {
      if (isAlone) {
        isAlone = false; // the next attempt runs on the pool
        return run(modification(index));
      }
      return Replanning.run(() -> run(modification(index)));
    }

    private Modification.Result run(Modification modification) {
      try {
        return modification.run();
      } catch (ClaimedException claimed) {
        first = modification; // goes on with what it has not changed yet
        throw claimed;
      }
    }

    private void repeat(int index, RetryRecord before) {
      int statement = context.statementId(index);
      BsonValue upserted = before.upserted().get(statement);
      reply.repeat(statement, upserted == null ? 1 : 0);
      if (upserted == null) {
        reply.countModified(1);
      } else {
        reply.upsert(index, upserted);
      }
    }

    private Modification modification(int index) {
      Modification prepared = first;
      first = null; // another attempt needs another plan
      return prepared != null
          ? prepared
          : new Modification(site, params.statements.get(index), variables);
    }

    private void count(int index, Modification.Result result) {
      reply.count(result.matched());
      reply.countModified(result.modified());
      if (result.upsertedId() != null) {
        reply.upsert(index, result.upsertedId());
      }
    }
  }
}
