package dev.orrery.storage;

import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * Changes that become visible to others together, or never. What is read through it is the state at
 * the point where it began, and its own changes on top of that. Nobody else can change what it has
 * changed until it ends. For one thread at a time; every method that changes something waits, and
 * is refused on event loops.
 */
public interface Transaction extends View {
  /**
   * Takes changes up, in order. One that another has changed since this began, or is changing, has
   * the outcome {@link WriteOutcome.Status#CONFLICT}: the transaction cannot succeed any more. What
   * came before a failure stays taken up, whatever the batch says: whoever goes on after one must
   * know why.
   */
  CommitResult write(WriteBatch batch, WorkMeter meter);

  /**
   * Makes all changes, and those of the caller, visible as one group, and ends the transaction. If
   * one of the outcomes says that it was not applied, nothing was, and {@link #close} is left to
   * do.
   *
   * @param also changes by the caller, asked for again whenever one of them had a conflict; the
   *     last outcomes are theirs
   */
  CompletionStage<CommitResult> commit(Supplier<List<WriteOperation>> also, WorkMeter meter);

  /** The documents that it holds in memory until it ends, before and after, in bytes. */
  long bytes();

  /** Whether it has changed anything. */
  boolean hasWritten();

  /** Ends it; without a commit before, nothing of it stays. May be called twice. */
  @Override
  void close();
}
