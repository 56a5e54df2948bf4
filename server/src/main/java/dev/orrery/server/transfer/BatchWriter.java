package dev.orrery.server.transfer;

import com.mongodb.MongoBulkWriteException;
import com.mongodb.MongoCommandException;
import com.mongodb.MongoException;
import com.mongodb.bulk.BulkWriteError;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.BulkWriteOptions;
import dev.orrery.server.transfer.source.BadRecordException;
import dev.orrery.server.transfer.source.SourceRecord;
import dev.orrery.server.transfer.source.TransferException;
import dev.orrery.server.transfer.source.TransferFailures;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawDocument;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.bson.BsonDocument;
import org.bson.RawBsonDocument;

/**
 * Writes batches to a server. Waits when the server is out of request units, tells of documents
 * that are refused, and passes over those that an interrupted import has already written. Any
 * number of threads may use it.
 */
final class BatchWriter {
  private static final int DUPLICATE_KEY = 11000;

  private final MongoClient client;
  private final ImportOptions options;
  private final TransferFailures failures;
  private final boolean isResumed;
  private final Throttle throttle;
  private final AtomicLong written = new AtomicLong();
  private final AtomicLong found = new AtomicLong();

  BatchWriter(
      MongoClient client,
      ImportOptions options,
      TransferFailures failures,
      Throttle throttle,
      boolean isResumed) {
    this.client = client;
    this.options = options;
    this.failures = failures;
    this.throttle = throttle;
    this.isResumed = isResumed;
  }

  /** How many documents were written. */
  long written() {
    return written.get();
  }

  /** How many documents an earlier, interrupted import had already written. */
  long found() {
    return found.get();
  }

  void write(ImportLane.Batch batch) throws IOException {
    Namespace target = batch.lane().documents();
    MongoCollection<RawBsonDocument> collection =
        client
            .getDatabase(target.database())
            .getCollection(target.collection(), RawBsonDocument.class);
    List<ImportWrite> pending = decode(batch);
    while (!pending.isEmpty()) {
      pending = attempt(collection, pending);
    }
  }

  private List<ImportWrite> decode(ImportLane.Batch batch) throws IOException {
    var pending = new ArrayList<ImportWrite>(batch.records().size());
    long ordinal = batch.first();
    for (SourceRecord record : batch.records()) {
      try {
        RawDocument document = record.document();
        if (options.mode() == ImportOptions.Mode.INSERT) {
          document = batch.lane().ids().withId(document, ordinal);
        }
        ImportWrite.of(record, document, options).ifPresent(pending::add);
      } catch (BadRecordException e) {
        failures.add(e.getMessage());
      }
      ordinal++;
    }
    return pending;
  }

  /** Sends the writes, and returns those that have to be sent again. */
  private List<ImportWrite> attempt(
      MongoCollection<RawBsonDocument> collection, List<ImportWrite> pending) throws IOException {
    var bulk =
        new BulkWriteOptions()
            .ordered(options.isOrdered())
            .bypassDocumentValidation(options.bypassesValidation() ? true : null);
    try {
      collection.bulkWrite(pending.stream().map(ImportWrite::model).toList(), bulk);
      written.addAndGet(pending.size());
      return List.of();
    } catch (MongoBulkWriteException e) {
      return afterErrors(collection, pending, e.getWriteErrors());
    } catch (MongoCommandException e) {
      if (throttle.isMeantFor(e.getErrorCode())) {
        throttle.await(e.getErrorMessage());
        return pending;
      }
      throw unexpected(e, pending);
    } catch (MongoException e) {
      throw unexpected(e, pending);
    }
  }

  private List<ImportWrite> afterErrors(
      MongoCollection<RawBsonDocument> collection,
      List<ImportWrite> pending,
      List<BulkWriteError> errors)
      throws IOException {
    var again = new ArrayList<ImportWrite>();
    String throttled = null;
    int last = -1;
    for (BulkWriteError error : errors) {
      ImportWrite write = pending.get(error.getIndex());
      last = Math.max(last, error.getIndex());
      if (throttle.isMeantFor(error.getCode())) {
        again.add(write);
        throttled = error.getMessage();
      } else if (isAlreadyThere(collection, write, error)) {
        found.incrementAndGet();
      } else {
        failures.add(write.place() + ": " + error.getMessage());
      }
    }
    if (options.isOrdered()) {
      again.addAll(pending.subList(last + 1, pending.size()));
      written.addAndGet(last + 1L - errors.size());
    } else {
      written.addAndGet((long) pending.size() - errors.size());
    }
    if (throttled != null) {
      throttle.await(throttled);
    }
    return again;
  }

  private boolean isAlreadyThere(
      MongoCollection<RawBsonDocument> collection, ImportWrite write, BulkWriteError error) {
    if (!isResumed || error.getCode() != DUPLICATE_KEY || write.id() == null) {
      return false;
    }
    var filter = new BsonDocument("_id", write.id());
    for (RawBsonDocument stored : collection.find(filter)) {
      byte[] bytes = RawDocument.of(stored).bytes();
      if (Arrays.equals(bytes, write.document().toByteArray())) {
        return true;
      }
    }
    return false;
  }

  private static TransferException unexpected(MongoException e, List<ImportWrite> pending) {
    return new TransferException(
        "Writing from %s on failed: %s. If the connection broke, run the same command again; with --resume FILE it goes on where it stopped."
            .formatted(pending.get(0).place(), ServerWords.of(e)),
        e);
  }
}
