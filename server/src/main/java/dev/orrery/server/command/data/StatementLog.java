package dev.orrery.server.command.data;

import dev.orrery.lane.Lane;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.command.ClaimedException;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.session.SessionId;
import dev.orrery.storage.CommitResult;
import dev.orrery.storage.Receipt;
import dev.orrery.storage.WriteBatch;
import dev.orrery.storage.WriteOperation;
import dev.orrery.storage.WriteOutcome;
import dev.orrery.value.RawDocument;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The statements of one retryable write: which of them a write of the same number carried out
 * before, and a record of each in the batch that carries it out, so that both are kept or none.
 */
final class StatementLog {
  private final RetryRecords records;
  private final SessionId session;
  private final long txnNumber;
  private final boolean isInsert;
  private final Map<Integer, RetryRecord> before = new HashMap<>();
  private List<Integer> statements = List.of();
  private @Nullable Boolean keepsNewImage;

  /**
   * @param mayHaveRun whether records of the same write may exist
   */
  StatementLog(RetryRecords records, CommandContext context, boolean mayHaveRun) {
    this.records = records;
    this.session = context.sessionFields().session();
    this.txnNumber = context.sessionFields().txnNumber();
    this.isInsert = context.operation().subject().command().equals("insert");
    if (mayHaveRun) {
      read();
    }
  }

  private void read() {
    for (int block = 0; ; block++) {
      RetryRecord record = records.find(session, block);
      if (record == null) {
        return;
      }
      if (record.txnNumber() > txnNumber) {
        throw tooOld(record.txnNumber());
      }
      if (record.txnNumber() < txnNumber) {
        return; // left by a longer write; the blocks of one write have no gap
      }
      if (record.isTransaction()) {
        throw new CommandException(
            ErrorCode.INCOMPLETE_TRANSACTION_HISTORY,
            "Cannot retry a retryable write that has been converted into a transaction");
      }
      before.put(block, record);
    }
  }

  private CommandException tooOld(long newer) {
    return new CommandException(
        ErrorCode.TRANSACTION_TOO_OLD,
        ("Retryable write with txnNumber %d is prohibited on session %s because a newer retryable"
                + " write with txnNumber %d has already started on this session.")
            .formatted(txnNumber, session.id(), newer));
  }

  /** What the statement did when it was carried out before, or null when it was not. */
  @Nullable RetryRecord done(int statement) {
    RetryRecord record = before.get(RetryRecord.block(statement));
    return record != null && record.isDone(statement) ? record : null;
  }

  /** Names the statements of the next commits: one, or one for each operation. */
  void begin(List<Integer> next) {
    statements = next;
  }

  /** Keeps the document before or after the change with the statement. */
  void keepImage(boolean isNew) {
    keepsNewImage = isNew;
  }

  /** Commits with a record of the statements, by {@code commit}. */
  CommitResult commit(Function<WriteBatch, CommitResult> commit, WriteBatch batch) {
    if (statements.isEmpty()) {
      return commit.apply(batch);
    }
    List<WriteOperation> operations = batch.operations();
    CommitResult all = together(commit, operations, statements);
    boolean isApplied = all.outcomes().stream().allMatch(WriteOutcome::isApplied);
    if (isApplied || batch.onFailure() == WriteBatch.OnFailure.APPLY_NONE) {
      return all;
    }
    // What fails must not be recorded as done, and is known only now: one after the other. None of
    // them has been carried out, so an event loop can still leave them to others.
    Lane.requireMayWait();
    var outcomes =
        new ArrayList<>(Collections.nCopies(operations.size(), WriteOutcome.NOT_APPLIED));
    int[] partitions = new int[operations.size()];
    Receipt receipt = Receipt.NONE;
    for (int i = 0; i < operations.size(); i++) {
      CommitResult one;
      try {
        one = together(commit, List.of(operations.get(i)), List.of(statements.get(i)));
      } catch (ClaimedException claimed) {
        if (i == 0) {
          throw claimed;
        }
        outcomes.set(i, WriteOutcome.CONFLICT); // to be tried again; what was done is not
        break;
      }
      receipt = receipt.with(one.receipt());
      outcomes.set(i, one.outcomes().get(0));
      partitions[i] = one.partitions()[0];
      if (!outcomes.get(i).isApplied() && batch.onFailure() == WriteBatch.OnFailure.STOP) {
        break;
      }
    }
    return new CommitResult(receipt, outcomes, partitions);
  }

  /** All operations and the records of these statements, or nothing. */
  private CommitResult together(
      Function<WriteBatch, CommitResult> commit,
      List<WriteOperation> operations,
      List<Integer> ids) {
    for (; ; ) {
      var all = new ArrayList<>(operations);
      for (int block : blocks(ids)) {
        all.add(records.replace(session, block, record -> record(record, block, ids, operations)));
      }
      CommitResult result = commit.apply(new WriteBatch(all, WriteBatch.OnFailure.APPLY_NONE));
      List<WriteOutcome> outcomes = result.outcomes();
      boolean isRecordStale =
          outcomes.subList(operations.size(), all.size()).stream().anyMatch(StatementLog::isStale);
      if (!isRecordStale) {
        return new CommitResult(
            result.receipt(), outcomes.subList(0, operations.size()), result.partitions());
      }
    }
  }

  private static boolean isStale(WriteOutcome outcome) {
    return outcome.status() == WriteOutcome.Status.CONFLICT
        || outcome.status() == WriteOutcome.Status.DUPLICATE;
  }

  private static TreeSet<Integer> blocks(List<Integer> ids) {
    var blocks = new TreeSet<Integer>();
    ids.forEach(id -> blocks.add(RetryRecord.block(id)));
    return blocks;
  }

  private RetryRecord record(
      @Nullable RetryRecord stored, int block, List<Integer> ids, List<WriteOperation> operations) {
    if (stored != null && stored.txnNumber() > txnNumber) {
      throw tooOld(stored.txnNumber());
    }
    RetryRecord record =
        stored == null || stored.txnNumber() < txnNumber ? RetryRecord.empty(txnNumber) : stored;
    for (int id : ids) {
      if (RetryRecord.block(id) == block) {
        record = record.with(id);
      }
    }
    return isInsert ? record : withResult(record, ids.get(0), operations);
  }

  /** What cannot be told from the statement alone. */
  private RetryRecord withResult(RetryRecord record, int id, List<WriteOperation> operations) {
    RawDocument old = null;
    RawDocument changed = null;
    for (WriteOperation operation : operations) {
      if (operation instanceof WriteOperation.Insert insert) {
        changed = insert.document();
      } else if (operation instanceof WriteOperation.Replace replace) {
        old = replace.before().document();
        changed = replace.after();
      } else if (operation instanceof WriteOperation.Delete delete) {
        old = delete.before().document();
      }
    }
    RetryRecord result = record;
    if (old == null && changed != null) {
      result = result.withUpsert(id, changed.field("_id").toBsonValue());
    }
    if (keepsNewImage != null) {
      RawDocument image = keepsNewImage ? changed : old;
      return image == null ? result : result.withImage(image);
    }
    return result;
  }
}
