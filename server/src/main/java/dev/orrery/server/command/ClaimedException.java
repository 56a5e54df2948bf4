package dev.orrery.server.command;

import java.util.concurrent.CompletionStage;

/**
 * An open transaction has what is to be changed. Nothing of the batch was applied: whoever asked
 * keeps what it did before, lets its thread go, and goes on when the transaction has ended.
 */
public final class ClaimedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient CompletionStage<?> freed;

  /** Without a trace: it is a way of going on. */
  public ClaimedException(CompletionStage<?> freed) {
    super("an open transaction has what is to be changed", null, false, false);
    this.freed = freed;
  }

  /** Completes when the transaction has ended. */
  public CompletionStage<?> freed() {
    return freed;
  }
}
