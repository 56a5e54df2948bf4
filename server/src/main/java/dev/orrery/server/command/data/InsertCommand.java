package dev.orrery.server.command.data;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.update.UpdateClock;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.ResumableWrite;
import dev.orrery.server.command.StagedCommand;
import dev.orrery.server.command.collection.DocumentValidator;
import dev.orrery.server.command.collection.NewDocument;
import dev.orrery.server.command.collection.TimeSeries;
import dev.orrery.server.command.collection.WriteFailures;
import dev.orrery.server.command.collection.WriteTarget;
import dev.orrery.server.synthetic.SyntheticKey;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.WriteBatch;
import dev.orrery.storage.WriteOperation;
import dev.orrery.storage.WriteOutcome;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawDocument;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/** {@code insert}: new documents, each of which may fail on its own. */
public final class InsertCommand implements StagedCommand {
  private static final Spec SPEC = Spec.ofWrite("insert");

  /** What is committed at once: partitions are locked no longer than this takes. */
  private static final int CHUNK_DOCUMENTS_MAX = 1000;

  private static final int CHUNK_BYTES_MAX = 4 << 20;
  private static final int SHORT_DOCUMENTS_MAX = 20;
  private static final int SHORT_BYTES_MAX = 64 << 10;

  private final DataServices services;
  private final UpdateClock clock;

  public InsertCommand(DataServices services) {
    this.services = services;
    this.clock = new CommandClock(services);
  }

  @Override
  public Spec spec() {
    return SPEC;
  }

  /** What an insert asks for. */
  private record Params(
      String collection,
      List<RawDocument> documents,
      boolean isOrdered,
      boolean isUnchecked,
      boolean keepsEmptyTimestamps) {
    static Params parse(CommandReader body) {
      var params =
          new Params(
              body.collection(),
              body.requireDocuments("documents"),
              body.bool("ordered", true),
              body.safeBool("bypassDocumentValidation", false),
              body.safeBool("bypassEmptyTsReplacement", false));
      body.ignore("stmtId", "stmtIds", "isTimeseriesNamespace");
      body.reject("encryptionInformation", "collectionUUID");
      body.finish();
      BulkReply.requireSize(params.documents.size());
      return params;
    }

    Params instead(String otherCollection, List<RawDocument> otherDocuments) {
      return new Params(
          otherCollection, otherDocuments, isOrdered, isUnchecked, keepsEmptyTimestamps);
    }

    boolean isShort() {
      long bytes = 0;
      if (documents.size() > SHORT_DOCUMENTS_MAX) {
        return false;
      }
      for (RawDocument document : documents) {
        bytes += document.length();
      }
      return bytes <= SHORT_BYTES_MAX;
    }
  }

  @Override
  public CompletionStage<BsonDocument> start(CommandContext context, CommandReader body) {
    Params params = Params.parse(body);
    context.enterTransaction();
    WriteTarget.requireName(context, params.collection);
    context.operation().consistsOf(params.documents.size());
    CollectionStore series = services.databases().findSeries(context.database(), params.collection);
    if (series == null) {
      return insert(context, params);
    }
    var buckets = BucketInsert.of(TimeSeries.of(series.info()), params.documents, params.isOrdered);
    String name = series.info().namespace().collection();
    return insert(context, params.instead(name, buckets.measurements()))
        .thenApply(reply -> buckets.reply(reply, params.documents.size()));
  }

  private CompletionStage<BsonDocument> insert(CommandContext context, Params params) {
    return RetryableWrites.once(
        context,
        services,
        writer -> {
          var bulk = new Bulk(context, params, writer);
          Supplier<BsonDocument> work = () -> bulk.run().toInsertReply();
          return new ResumableWrite(services.workers(), context, work)
              .start(() -> services.workers().runOrResume(params.isShort(), work));
        });
  }

  /** One insert at work. What would have to wait on an event loop goes on elsewhere. */
  private final class Bulk {
    private final CommandContext context;
    private final Params params;
    private final DocumentWriter writer;
    private final BulkReply reply;
    private CollectionStore collection;
    private @Nullable DocumentValidator validator;
    private @Nullable TimeSeries series;
    private @Nullable SyntheticKey key;

    /** The documents to be committed next, and the place of each in the command. */
    private final List<WriteOperation.Insert> chunk = new ArrayList<>();

    private final List<Integer> places = new ArrayList<>();
    private long chunkBytes;
    private int chunkDocumentsMax = CHUNK_DOCUMENTS_MAX;
    private int next;

    Bulk(CommandContext context, Params params, DocumentWriter writer) {
      this.context = context;
      this.params = params;
      var namespace = new Namespace(context.database(), params.collection);
      this.reply = new BulkReply(failure -> services.databases().worded(failure, namespace));
      this.writer = writer;
    }

    BulkReply run() {
      if (collection == null) {
        open();
      }
      while (next < params.documents.size() && !isStopped()) {
        context.operation().check();
        step(next);
      }
      flush();
      return reply;
    }

    /** Takes the next document; when this has to be called again, it was taken or it was not. */
    private void step(int place) {
      try {
        if (writer.begin(place) != null) {
          reply.repeat(context.statementId(place), 1);
          next++;
          return;
        }
        WriteOperation.Insert prepared = prepare(params.documents.get(place));
        next++;
        add(place, prepared);
      } catch (CommandException e) {
        BulkReply.requireGoingOn(e);
        flush();
        if (!isStopped()) {
          reply.fail(place, e);
        }
        next = place + 1;
      }
    }

    private void open() {
      CollectionStore found = services.databases().findOrCreate(context, params.collection);
      validator =
          params.isUnchecked || found.info().isView()
              ? null
              : services.databases().validators().find(found.info());
      series = TimeSeries.of(found.info());
      key = SyntheticKey.of(found.info());
      if (series != null && context.transaction() != null) {
        throw TransactionErrors.timeSeries(found.info().namespace());
      }
      // Where units are limited each document waits for what the one before has cost.
      chunkDocumentsMax = context.work().isLimited(found) ? 1 : CHUNK_DOCUMENTS_MAX;
      collection = found; // last, as to compile the validator may need another thread
    }

    /** The first error ends a transaction. */
    private boolean isOrdered() {
      return params.isOrdered || context.transaction() != null;
    }

    private boolean isStopped() {
      return isOrdered() && reply.hasFailures();
    }

    private WriteOperation.Insert prepare(RawDocument document) {
      writer.requireCollection(collection);
      RawDocument prepared =
          NewDocument.of(document, services.ids(), params.keepsEmptyTimestamps ? null : clock);
      if (series != null) {
        prepared = series.arrange(document, prepared);
      }
      if (key != null) {
        prepared = key.complete(prepared);
      }
      if (validator != null) {
        validator.requireValid(prepared);
      }
      var insert = new WriteOperation.Insert(collection, prepared);
      services.databases().requireStorable(insert);
      context.work().admitInsert(insert);
      return insert;
    }

    private void add(int place, WriteOperation.Insert insert) {
      chunk.add(insert);
      places.add(place);
      chunkBytes += insert.document().length();
      if (chunk.size() >= chunkDocumentsMax || chunkBytes >= CHUNK_BYTES_MAX) {
        flush();
      }
    }

    private void flush() {
      while (!chunk.isEmpty() && !isStopped()) {
        commit();
        if (!chunk.isEmpty() && !collection.exists()) {
          open();
          recheck();
        }
      }
      chunk.clear();
      places.clear();
      chunkBytes = 0;
    }

    /** Another collection of this name may have another partition key, and its own conditions. */
    private void recheck() {
      for (int i = 0; i < chunk.size() && !isStopped(); ) {
        try {
          RawDocument document = chunk.get(i).document();
          RawDocument keyed = key == null ? document : key.complete(document);
          chunk.set(i, new WriteOperation.Insert(collection, keyed));
          services.databases().requireStorable(chunk.get(i));
          i++;
        } catch (CommandException e) {
          chunk.remove(i);
          reply.fail(places.remove(i), e);
        }
      }
    }

    /** Commits the chunk and leaves in it what met a split, to be tried again. */
    private void commit() {
      List<WriteOutcome> outcomes =
          collection.info().cappedLimits() != null ? commitCapped() : commitChunk();
      var again = new ArrayList<WriteOperation.Insert>();
      var againPlaces = new ArrayList<Integer>();
      boolean isAfterConflict = false;
      for (int i = 0; i < outcomes.size(); i++) {
        WriteOutcome outcome = outcomes.get(i);
        isAfterConflict |= outcome.status() == WriteOutcome.Status.CONFLICT;
        boolean isUntried = outcome.status() == WriteOutcome.Status.NOT_APPLIED;
        if (outcome.isApplied()) {
          reply.count(1);
        } else if (outcome.status() == WriteOutcome.Status.CONFLICT
            || isUntried && isAfterConflict) {
          again.add(chunk.get(i));
          againPlaces.add(places.get(i));
        } else if (!isUntried) {
          RawDocument document = chunk.get(i).document();
          reply.fail(places.get(i), WriteFailures.of(outcome, collection.info(), document));
        }
      }
      chunk.clear();
      chunk.addAll(again);
      places.clear();
      places.addAll(againPlaces);
    }

    private List<WriteOutcome> commitChunk() {
      writer.begin(places);
      return writer.commit(
          List.copyOf(chunk),
          isOrdered() ? WriteBatch.OnFailure.STOP : WriteBatch.OnFailure.CONTINUE);
    }

    /** One by one, so that each pushes out what was there before it. */
    private List<WriteOutcome> commitCapped() {
      var outcomes = new ArrayList<WriteOutcome>();
      boolean isFailed = false;
      for (int i = 0; i < chunk.size(); i++) {
        writer.begin(places.get(i));
        WriteOutcome outcome =
            isFailed && isOrdered() ? WriteOutcome.NOT_APPLIED : writer.commit(chunk.get(i));
        isFailed |= !outcome.isApplied();
        outcomes.add(outcome);
      }
      return outcomes;
    }
  }
}
