package dev.orrery.server.command;

import dev.orrery.lane.WouldWaitException;
import dev.orrery.language.limit.Allowance;
import dev.orrery.server.operation.Operation;
import dev.orrery.wire.WireLimits;

/** What calls wait for before they take much memory, and give back when they fail. */
final class CallMemory {
  private static final int AWAITED_REPLY_BYTES_MIN = 256 << 10;

  private CallMemory() {}

  /** Large requests wait until there is memory for what they become. */
  static void awaitRequest(Call call, int bytesMin) {
    awaitReply(call, call.replyBytes);
    if (call.request.bytes() > bytesMin) {
      Allowance.current().await(RequestWeight.of(call.request, call.known.spec().name()));
    }
  }

  /** A long reply waits until there is room for it: a loop leaves that to another thread. */
  static void awaitReply(Call call, long bytes) {
    if (bytes <= AWAITED_REPLY_BYTES_MIN) {
      return;
    }
    Operation operation = call.context.operation();
    long more = bytes - operation.replyMemory().heldBytes();
    if (more > 0) {
      call.replyBytes = bytes;
      operation.replyMemory().await(more, operation::check);
    }
  }

  /** Notes why a loop does not go on with a call: for a long reply there has to be room first. */
  static void expect(Call call, WouldWaitException onLoop) {
    if (onLoop.isForLargeRead()) {
      call.replyBytes = 2L * WireLimits.INTERNAL_DOCUMENT_BYTES_MAX; // as read, and as sent
    }
  }

  /** Gives back what a call holds that will not be answered. */
  static void release(Call call) {
    if (call.context != null) {
      call.context.operation().releaseMemory();
      call.context.operation().releaseReply();
    }
  }

  /** Of what the reply would have told, nobody knows now. */
  static void undo(Call call) {
    if (call.context != null) {
      call.context.operation().releaseReply();
      call.context.failed();
    }
  }
}
