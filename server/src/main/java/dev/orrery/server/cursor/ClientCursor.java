package dev.orrery.server.cursor;

import dev.orrery.lane.Lane;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.limit.Allowance;
import dev.orrery.language.limit.Holding;
import dev.orrery.language.limit.MemoryAccount;
import dev.orrery.language.limit.Resting;
import dev.orrery.language.limit.SpillFile;
import dev.orrery.language.limit.SpillInput;
import dev.orrery.server.plan.DocumentCursor;
import dev.orrery.server.plan.Execution;
import dev.orrery.server.plan.PlanResult;
import dev.orrery.server.throughput.MeteredRead;
import dev.orrery.storage.CollectionStore;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawDocument;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Results that a client fetches batch by batch. Used by one request at a time; the registry sees to
 * that.
 */
public final class ClientCursor implements Resting, AutoCloseable {
  /** What fits into one reply besides its envelope. */
  public static final int BATCH_BYTES_MAX = 16 << 20;

  /** A document is held as it was read, and as a part of the reply. */
  private static final int REPLY_COPIES = 2;

  /** A single document that is smaller is not waited with. */
  private static final int AWAITED_BYTES_MIN = 256 << 10;

  private static final int SPILLED_BYTES_MIN = 16 << 10;

  /**
   * Who opened it and on what, as getMore and killCursors check it.
   *
   * @param user null when nobody was logged in
   * @param transaction the number of the transaction in which it was opened; null for none
   * @param isAtPoint whether it reads at a point, outside of a transaction
   */
  public record Owner(
      Namespace namespace,
      @Nullable Object session,
      @Nullable Object user,
      boolean hasNoTimeout,
      @Nullable Long transaction,
      boolean isAtPoint) {}

  /** What becomes of a cursor at the end of its results. */
  public enum End {
    /** It is closed as soon as a batch comes out short. */
    CLOSES,
    /** As well when a full batch was the last one, because looking one result ahead is cheap. */
    CLOSES_EARLY,
    /** It stays open, and goes on when there is more. */
    STAYS,
    /** The same, and a getMore waits a while for more. */
    AWAITS
  }

  private final Owner owner;
  private final DocumentCursor results;
  private final Execution execution;
  private final End end;
  private final Holding holding;
  private @Nullable RawDocument pending;
  private @Nullable SpillFile pendingFile;
  private Object client = this;
  private BooleanSupplier isConnected = () -> true;
  private boolean isOneBatch;
  private long lastBytes;
  private @Nullable MemoryAccount room;
  private long awaited;
  private boolean lacksRoom;
  private boolean isExhausted;
  private long documentsReturned;
  private long batchesReturned;
  private @Nullable CollectionStore collection;
  private @Nullable Namespace openedAs;
  private @Nullable MeteredRead metered;
  private @Nullable Following following;
  private long nanosLeft = Long.MAX_VALUE;

  public ClientCursor(Owner owner, DocumentCursor results, Execution execution) {
    this(owner, results, execution, End.CLOSES);
  }

  public ClientCursor(Owner owner, DocumentCursor results, Execution execution, End end) {
    this.owner = owner;
    this.results = results;
    this.execution = execution;
    this.end = end;
    this.holding = new Holding(execution.memory());
    execution.memory().add(this);
    execution.meter().askBeforeLarge(this::awaitLarge);
  }

  /** Says that there will be one batch, which so cannot end early for want of memory. */
  public ClientCursor inOneBatch(boolean isOne) {
    isOneBatch = isOne;
    return this;
  }

  /**
   * Names who opened it.
   *
   * @param opener equal for all connections of a client
   * @param isThere whether the connection is there on which it was opened
   */
  public ClientCursor openedBy(Object opener, BooleanSupplier isThere) {
    client = opener;
    isConnected = isThere;
    return this;
  }

  /** Counts what else is there as long as the cursor is; closes it when there is no room. */
  public void keepAlso(long bytes) {
    if (Allowance.isSmall(bytes)) {
      return;
    }
    try {
      execution.memory().hold(bytes);
    } catch (CommandException e) {
      close();
      throw e;
    }
  }

  /** Whether nobody can ask for more: the client that opened it has no connection any more. */
  boolean isAbandoned(Set<Object> connectedClients) {
    return !isConnected.getAsBoolean() && !connectedClients.contains(client);
  }

  /** Names what is read, so that a getMore notices when it is gone. */
  public ClientCursor over(CollectionStore read) {
    collection = read;
    openedAs = read.info().namespace();
    return this;
  }

  /** Names what counts the cost of each batch. */
  public ClientCursor meteredBy(MeteredRead read) {
    metered = read;
    return this;
  }

  /** Names what it follows, of which there is no end. */
  public ClientCursor following(Following what) {
    following = what;
    following.askBeforeLarge(this::hasRoom);
    return this;
  }

  /** What it follows, or null when it has an end. */
  public @Nullable Following following() {
    return following;
  }

  /** Whether the last batch is empty for want of memory; a cursor that has an end waits instead. */
  public boolean lacksRoom() {
    return lacksRoom || following != null && following.lacksRoom();
  }

  /** Whether the last batch ended because nothing more was to be had. */
  public boolean isDrained() {
    return isExhausted && pending == null && pendingFile == null;
  }

  /** What counts the cost of each batch, or null when they cost nothing. */
  public @Nullable MeteredRead metered() {
    return metered;
  }

  /** Throws when the collection was dropped or renamed under the cursor, or its place is lost. */
  public void requireAlive() {
    if (collection != null && !collection.exists()) {
      throw new CommandException(
          ErrorCode.QUERY_PLAN_KILLED, "collection dropped. UUID " + collection.info().uuid());
    }
    if (collection != null && !collection.info().namespace().equals(openedAs)) {
      throw new CommandException(
          ErrorCode.QUERY_PLAN_KILLED,
          "collection renamed from '%s' to '%s'. UUID %s"
              .formatted(openedAs, collection.info().namespace(), collection.info().uuid()));
    }
    results.resume();
  }

  /** How long later batches may take together: what maxTimeMS left, or a very long time. */
  public long nanosLeft() {
    return nanosLeft;
  }

  public void leave(long nanos) {
    nanosLeft = nanos;
  }

  /** Whether a getMore that finds nothing waits for more. */
  public boolean awaitsData() {
    return end == End.AWAITS;
  }

  /** Whether it goes on at the end when there is more. */
  public boolean isTailable() {
    return end == End.STAYS || end == End.AWAITS;
  }

  public long documentsReturned() {
    return documentsReturned;
  }

  public long batchesReturned() {
    return batchesReturned;
  }

  public Owner owner() {
    return owner;
  }

  public Execution execution() {
    return execution;
  }

  /** Whether the last batch was the last of all. */
  public boolean isExhausted() {
    if (following != null) {
      return following.isOver() && isDrained();
    }
    return isExhausted && (end == End.CLOSES || end == End.CLOSES_EARLY);
  }

  /**
   * The next results: at most {@code count}, at most what fits into a reply, and at most what there
   * is memory for. A single document always fits, and is waited with if it is large.
   *
   * @param memory where the batch is held until its reply is on its way
   */
  public List<RawDocument> nextBatch(long count, MemoryAccount memory) {
    var batch = new ArrayList<RawDocument>();
    var reply = new Holding(memory);
    long bytes = 0;
    isExhausted = false;
    awaitExpected(count, memory);
    if (lacksRoom) {
      return batch;
    }
    while (batch.size() < count && !isAsGoodAsFull(bytes)) {
      room = batch.isEmpty() ? memory : null; // whoever has others had better not wait
      RawDocument next = takePending();
      if (next == null) {
        isExhausted = true;
        break;
      }
      bytes += next.length();
      lastBytes = next.length();
      if (batch.isEmpty() && next.length() > AWAITED_BYTES_MIN) {
        batch.add(awaitRoom(next, memory));
        continue;
      }
      boolean hasRoom = reply.grow(REPLY_COPIES * (long) next.length()) || isOneBatch;
      if ((bytes > BATCH_BYTES_MAX || !hasRoom) && !batch.isEmpty()) {
        pending = next;
        break;
      }
      batch.add(next);
    }
    if (end == End.CLOSES_EARLY && pending == null && !batch.isEmpty() && !isExhausted) {
      pending = read();
      isExhausted = pending == null;
    }
    if (pending != null) {
      holding.grow(pending.length()); // it is there, whether there is room for it or not
    }
    documentsReturned += batch.size();
    batchesReturned++;
    return batch;
  }

  /** Waits with what is likely to be as large as what came before. */
  private void awaitExpected(long count, MemoryAccount memory) {
    awaited = memory.heldBytes();
    lacksRoom = false;
    if (count == 0 || lastBytes <= AWAITED_BYTES_MIN) {
      return;
    }
    if (pending != null) {
      putAway();
    }
    if (following == null) {
      memory.await(REPLY_COPIES * lastBytes, Allowance.current()::check);
    } else if (!memory.tryAwait(REPLY_COPIES * lastBytes)) {
      lacksRoom = true;
      return;
    }
    awaited += REPLY_COPIES * lastBytes;
  }

  /** As {@link #awaitLarge}, for what need not be read now. */
  private boolean hasRoom(long bytes) {
    long lacking = REPLY_COPIES * bytes - awaited;
    if (room == null || lacking <= 0) {
      return true;
    }
    if (!room.tryAwait(lacking)) {
      lastBytes = bytes; // the next attempt asks before it reads anything
      return false;
    }
    awaited += lacking;
    return true;
  }

  /** Waits with a large document that is about to be read, as it may be the first of the batch. */
  private void awaitLarge(int bytes) {
    long lacking = REPLY_COPIES * (long) bytes - awaited;
    if (room != null && bytes > AWAITED_BYTES_MIN && lacking > 0) {
      room.await(lacking, Allowance.current()::check);
      awaited += lacking;
    }
  }

  /** Whether a large document would be read that most likely has to wait for the next batch. */
  private boolean isAsGoodAsFull(long bytes) {
    return lastBytes > AWAITED_BYTES_MIN
        && bytes + lastBytes > BATCH_BYTES_MAX
        && bytes > 0
        && end == End.CLOSES
        && !isOneBatch;
  }

  /** Holds a large document, or puts it away until there is memory for it and its reply. */
  private RawDocument awaitRoom(RawDocument document, MemoryAccount memory) {
    long bytes = REPLY_COPIES * (long) document.length() - awaited;
    if (bytes <= 0 || memory.tryHold(bytes)) {
      return document;
    }
    Lane.requireMayWait();
    pending = document;
    putAway();
    memory.await(bytes, Allowance.current()::check);
    return restore();
  }

  private @Nullable RawDocument takePending() {
    if (pendingFile != null) {
      pending = restore();
    }
    RawDocument next = pending != null ? pending : read();
    pending = null;
    holding.clear();
    return next;
  }

  /** A document that waits for the next batch may be a large one. */
  @Override
  public void rest(boolean spills) {
    if (spills && pending != null && pending.length() >= SPILLED_BYTES_MIN) {
      putAway();
    }
  }

  private void putAway() {
    try {
      pendingFile = execution.area().create("cursor");
      try (OutputStream out = pendingFile.output()) {
        out.write(pending.bytes(), pending.offset(), pending.length());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    pending = null;
    holding.clear();
  }

  private RawDocument restore() {
    try {
      var in = new SpillInput(pendingFile);
      var document = RawDocument.wrap(in.readExactly(Math.toIntExact(pendingFile.length())));
      pendingFile.close();
      pendingFile = null;
      return document;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private @Nullable RawDocument read() {
    PlanResult result = results.next();
    return result == null ? null : result.document();
  }

  @Override
  public void close() {
    try {
      results.close();
      if (pendingFile != null) {
        pendingFile.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      execution.memory().close();
    }
  }
}
