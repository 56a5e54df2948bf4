package dev.orrery.server.command.data;

import dev.orrery.lane.Lane;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.limit.Allowance;
import dev.orrery.server.command.ClaimedException;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.ResumableWrite;
import dev.orrery.server.command.Workers;
import dev.orrery.server.command.collection.Databases;
import dev.orrery.server.command.collection.WriteFailures;
import dev.orrery.server.command.collection.WriteTarget;
import dev.orrery.server.expiry.ExpiredDocuments;
import dev.orrery.server.expiry.Expiry;
import dev.orrery.server.expiry.LastModified;
import dev.orrery.server.plan.Execution;
import dev.orrery.server.plan.QueryPlan;
import dev.orrery.server.plan.Targets;
import dev.orrery.server.throughput.MeteredRead;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.CommitResult;
import dev.orrery.storage.Receipt;
import dev.orrery.storage.StorageEngine;
import dev.orrery.storage.Transaction;
import dev.orrery.storage.View;
import dev.orrery.storage.WorkMeter;
import dev.orrery.storage.WriteBatch;
import dev.orrery.storage.WriteOperation;
import dev.orrery.storage.WriteOutcome;
import java.util.List;
import java.util.function.Supplier;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/** Commits the changes of one command. */
final class DocumentWriter {
  private static final int LARGE_BYTES = 1 << 20;
  private static final long KEYS_OF_LARGE = 4;
  private static final long KEYS_BYTES_MAX = Runtime.getRuntime().maxMemory() / 4;

  private final StorageEngine engine;
  private final Expiry expiry;
  private final CommandContext context;
  private final @Nullable StatementLog statements;
  private final WorkMeter meter = new WorkMeter();
  private long keyBytes;

  /** For a write that is carried out each time it is sent. */
  DocumentWriter(Databases databases, CommandContext context) {
    this(databases, context, null);
  }

  /**
   * @param statements of a write that a client may send twice; null for any other
   */
  DocumentWriter(Databases databases, CommandContext context, @Nullable StatementLog statements) {
    this.engine = databases.engine();
    this.expiry = databases.expiry();
    this.context = context;
    this.statements = statements;
    meter.askBeforeLarge(this::awaitKeys);
  }

  /** Many keys, as those of a long array, take much more memory than their document. */
  private void awaitKeys(int bytes) {
    if (bytes > KEYS_BYTES_MAX) {
      throw new CommandException(
          ErrorCode.EXCEEDED_MEMORY_LIMIT,
          "the index keys of a write take %d bytes, more than the %d that a heap of this size allows"
              .formatted(bytes, KEYS_BYTES_MAX));
    }
    if (bytes > keyBytes) {
      Allowance.current().await(bytes - keyBytes);
      keyBytes = bytes;
    }
  }

  /** Before the keys of a long document are worked out: others may be doing the same. */
  private void awaitLarge(List<WriteOperation> operations) {
    long bytes = 0;
    for (WriteOperation operation : operations) {
      boolean isIndexed = operation.collection().info().indexes().size() > 1;
      if (isIndexed && operation instanceof WriteOperation.Insert insert) {
        int length = insert.document().length();
        bytes += length > LARGE_BYTES ? KEYS_OF_LARGE * length : 0;
      }
    }
    if (bytes > 0) {
      Allowance.current().await(bytes);
      keyBytes = bytes;
    }
  }

  private void releaseKeys() {
    Allowance.current().release(keyBytes);
    keyBytes = 0;
  }

  /** Refuses a statement that may change many documents: it cannot be told how far it came. */
  void requireSingle(boolean isSingle, String otherwise) {
    if (!isSingle && statements != null) {
      throw new CommandException(
          ErrorCode.INVALID_OPTIONS, "Cannot use (or request) retryable writes with " + otherwise);
    }
  }

  /** What the session calls the statement at that place of the command. */
  int statementId(int index) {
    return context.statementId(index);
  }

  /** Keeps the document before or after the change with the statement, to answer with it again. */
  void keepImage(boolean isNew) {
    if (statements != null) {
      statements.keepImage(isNew);
    }
  }

  /** The surroundings of a plan that finds what to write. */
  Execution execution(DataServices services, CollectionStore collection, QueryPlan plan) {
    Execution execution = services.execution(context, true);
    context.operation().planned(plan);
    execution.prepareForWrites();
    context.work().owe(new MeteredRead(collection, execution, plan.isPointRead()));
    return execution;
  }

  /** What the statement at that place did when it ran before; null when it has to run. */
  @Nullable RetryRecord begin(int index) {
    if (statements == null) {
      return null;
    }
    int id = context.statementId(index);
    statements.begin(List.of(id));
    return statements.done(id);
  }

  /** Names the statements that the next commit has an operation for each. */
  void begin(List<Integer> places) {
    if (statements != null) {
      statements.begin(places.stream().map(context::statementId).toList());
    }
  }

  /** The collection, created if it is missing. */
  CollectionStore findOrCreate(Databases databases, String collection) {
    return databases.findOrCreate(context, collection);
  }

  /** Refuses a collection to which the command cannot write, whatever it finds there. */
  void requireCollection(CollectionStore collection) {
    WriteTarget.requireCollection(collection);
    if (context.transaction() != null && collection.info().cappedLimits() != null) {
      throw TransactionErrors.capped(collection.info().namespace());
    }
  }

  /** What the command reads. */
  View view() {
    return context.view();
  }

  WorkMeter meter() {
    return meter;
  }

  /** Whether the first error ends all. */
  boolean isInTransaction() {
    return context.transaction() != null;
  }

  /** Whether the client may repeat the command, and knows it by a number. */
  boolean isRetryable() {
    return context.sessionFields().txnNumber() != null;
  }

  /** Whether request units may run out there. */
  boolean isLimited(CollectionStore collection) {
    return context.work().isLimited(collection);
  }

  /** Refuses a statement for which no request units are left. */
  void admit(Targets targets) {
    context.work().admitStatement(targets);
  }

  void checkDeadline() {
    context.operation().check();
  }

  /** Commits; the reply to the client will wait until the commit is on disk. */
  List<WriteOutcome> commit(List<WriteOperation> operations, WriteBatch.OnFailure onFailure) {
    long terms = meter.termsAdded() + meter.termsRemoved();
    var batch = new WriteBatch(stamped(operations), onFailure);
    CommitResult result;
    try {
      awaitLarge(operations);
      if (context.transaction() != null) {
        result = write(batch);
      } else {
        result = statements == null ? commit(batch) : statements.commit(this::commit, batch);
      }
    } finally {
      releaseKeys();
    }
    terms = meter.termsAdded() + meter.termsRemoved() - terms;
    context.work().wrote(operations, result, terms);
    context.awaitDurable(result.receipt());
    return result.outcomes();
  }

  /** The same with the time, where documents expire by when they were written last. */
  private List<WriteOperation> stamped(List<WriteOperation> operations) {
    boolean isKept =
        operations.stream().anyMatch(one -> Expiry.keepsLastChange(one.collection().info()));
    return isKept ? operations.stream().map(this::stamped).toList() : operations;
  }

  private WriteOperation stamped(WriteOperation operation) {
    CollectionStore collection = operation.collection();
    if (!Expiry.keepsLastChange(collection.info())) {
      return operation;
    }
    long now = expiry.millis();
    if (operation instanceof WriteOperation.Insert insert) {
      return new WriteOperation.Insert(
          collection, LastModified.stamp(insert.document(), now), insert.key());
    }
    return operation instanceof WriteOperation.Replace replace
        ? new WriteOperation.Replace(
            collection, replace.before(), LastModified.stamp(replace.after(), now), replace.delta())
        : operation;
  }

  /** Commits; throws, and has changed nothing, when a transaction has what is to be changed. */
  private CommitResult commit(WriteBatch batch) {
    CommitResult tried = Lane.await(engine.commit(batch, meter));
    List<WriteOutcome> outcomes =
        new ExpiredDocuments(engine, expiry).cleared(batch, tried.outcomes());
    var result = new CommitResult(tried.receipt(), outcomes, tried.partitions());
    for (WriteOutcome outcome : result.outcomes()) {
      if (outcome.status() == WriteOutcome.Status.CLAIMED) {
        throw new ClaimedException(outcome.freed());
      }
    }
    return result;
  }

  /** Takes changes up into the transaction. */
  private CommitResult write(WriteBatch batch) {
    Transaction changes = context.transaction().changes();
    CommitResult result = changes.write(batch, meter);
    for (WriteOutcome outcome : result.outcomes()) {
      if (outcome.status() == WriteOutcome.Status.CONFLICT) {
        throw TransactionErrors.conflict(batch, outcome);
      }
    }
    context.transaction().hold(changes.bytes());
    return result;
  }

  /** A write of this command that may be left and gone on with. */
  ResumableWrite resumable(Workers workers, Supplier<BsonDocument> rest) {
    return new ResumableWrite(workers, context, rest);
  }

  /** Gives up a document that cannot be read any more; false when there is no such document. */
  boolean discard(CollectionStore collection, DocumentKey key) {
    Receipt receipt = engine.discard(collection, key.partitionKey(), key.id());
    context.awaitDurable(receipt);
    return receipt != Receipt.NONE;
  }

  WriteOutcome commit(WriteOperation operation) {
    return commit(List.of(operation), WriteBatch.OnFailure.APPLY_NONE).get(0);
  }

  /** Inserts one document into a collection of any kind; throws when it cannot be. */
  void insert(WriteOperation.Insert insert) {
    CollectionStore collection = insert.collection();
    for (; ; ) {
      WriteOutcome outcome = commit(insert);
      if (outcome.isApplied()) {
        return;
      }
      if (outcome.status() != WriteOutcome.Status.CONFLICT) {
        throw WriteFailures.of(outcome, collection.info(), insert.document());
      }
      requireExists(collection);
    }
  }

  /** Refuses to go on with a collection that was dropped meanwhile. */
  static void requireExists(CollectionStore collection) {
    if (!collection.exists()) {
      throw new CommandException(
          ErrorCode.QUERY_PLAN_KILLED, "collection dropped. UUID " + collection.info().uuid());
    }
  }
}
