package dev.orrery.server.net;

import dev.orrery.language.limit.MemoryBudget;
import dev.orrery.wire.MessageRoom;
import dev.orrery.wire.WireException;
import dev.orrery.wire.WireLimits;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;

/*
 * A message that finds no room waits in the network: its connection is not read until there is
 * some. Were that all, connections that have half of their messages each could wait for one
 * another for ever. So one at a time may take more than there is. It ends and makes room, or its
 * client is too slow and is cut off; then it is another one's turn.
 */

/**
 * The memory of all connections: for messages from their first bytes to their answers, and for
 * replies that clients have not taken yet. Those who have not said who they are share a small part,
 * and whoever of them asks for more is refused.
 */
final class NetMemory {
  /** The longest message of somebody who has not logged in. */
  static final int STRANGER_MESSAGE_BYTES_MAX = 64 << 10;

  /** Of short messages nobody keeps count. */
  private static final int FREE_BYTES = 16 << 10;

  private static final int STRANGER_FREE_BYTES = 1 << 10;
  private static final int STRANGERS_SHARE = 32;
  private static final long STRANGERS_BYTES_MIN = 1 << 20;
  private static final int REPLIES_SHARE = 8;

  /** Messages that arrive together leave as much to what is made of them. */
  private static final int MESSAGES_SHARE = 2;

  /** Short messages need not wait until long ones are through. */
  private static final int SHORT_MESSAGE_BYTES = 2 << 20;

  private static final int SHORT_MESSAGES_SHARE = 8;

  private final MemoryBudget budget;
  private final long strangersMax;
  private final AtomicLong strangers = new AtomicLong();
  private final AtomicReference<Room> overdrawn = new AtomicReference<>();

  NetMemory(MemoryBudget budget) {
    this.budget = budget;
    this.strangersMax = Math.max(STRANGERS_BYTES_MIN, budget.bytesMax() / STRANGERS_SHARE);
  }

  /**
   * For one connection.
   *
   * @param isKnown whether whoever is at the other end has logged in, or need not
   */
  Room room(BooleanSupplier isKnown) {
    return new Room(isKnown);
  }

  void takeReply(int bytes) {
    if (bytes > 0) {
      budget.take(MemoryBudget.Use.REPLIES, bytes);
    }
  }

  void giveReply(int bytes) {
    if (bytes > 0) {
      budget.give(MemoryBudget.Use.REPLIES, bytes);
    }
  }

  /** Whether clients that do not take their replies are a burden. */
  boolean areRepliesMany() {
    return budget.usedBytes(MemoryBudget.Use.REPLIES) > budget.bytesMax() / REPLIES_SHARE;
  }

  /** What one connection holds. Belongs to its event loop. */
  final class Room implements MessageRoom {
    private final BooleanSupplier isKnown;
    private int announced;
    private int arrived;
    private volatile int counted;
    private boolean isStranger;

    private Room(BooleanSupplier isKnown) {
      this.isKnown = isKnown;
    }

    @Override
    public int lengthMax() {
      return isKnown.getAsBoolean() ? WireLimits.MESSAGE_BYTES_MAX : STRANGER_MESSAGE_BYTES_MAX;
    }

    @Override
    public boolean take(int bytes) {
      if (arrived == 0) {
        isStranger = !isKnown.getAsBoolean();
      }
      boolean isFree = arrived + bytes <= (isStranger ? STRANGER_FREE_BYTES : FREE_BYTES);
      int more = isFree ? 0 : arrived + bytes - counted;
      if (more > 0 && !(isStranger ? takeAsStranger(more) : takeAsKnown(more))) {
        return false;
      }
      arrived += bytes;
      if (more > 0) {
        counted += more;
      }
      return true;
    }

    private boolean takeAsStranger(int bytes) {
      if (strangers.addAndGet(bytes) > strangersMax) {
        strangers.addAndGet(-bytes);
        throw new WireException(
            "there are too many long messages of others who have not logged in");
      }
      budget.take(MemoryBudget.Use.MESSAGES, bytes);
      return true;
    }

    private boolean takeAsKnown(int bytes) {
      long all = budget.usedBytes(MemoryBudget.Use.MESSAGES) + bytes;
      long most = budget.bytesMax() / MESSAGES_SHARE;
      if (all <= most && budget.tryTake(MemoryBudget.Use.MESSAGES, bytes, counted)) {
        return true;
      }
      if (announced <= SHORT_MESSAGE_BYTES
          && all <= most + budget.bytesMax() / SHORT_MESSAGES_SHARE + overdraft()) {
        budget.take(MemoryBudget.Use.MESSAGES, bytes);
        return true;
      }
      boolean mayOverdraw = overdrawn.get() == this || overdrawn.compareAndSet(null, this);
      if (mayOverdraw) {
        budget.take(MemoryBudget.Use.MESSAGES, bytes);
      }
      return mayOverdraw;
    }

    /** What the one has taken that may take more than there is. */
    private long overdraft() {
      Room one = overdrawn.get();
      return one == null ? 0 : one.counted; // of another loop, so it may be a little off
    }

    @Override
    public void announce(int length) {
      announced = length;
    }

    /** Whether what has arrived here is missing elsewhere. */
    boolean isCounted() {
      return counted > 0 || isStranger;
    }

    boolean isStranger() {
      return isStranger;
    }

    /** Gives everything back: the message was answered, or will never be. */
    void clear() {
      if (counted > 0) {
        budget.give(MemoryBudget.Use.MESSAGES, counted);
        if (isStranger) {
          strangers.addAndGet(-counted);
        }
        overdrawn.compareAndSet(this, null);
        counted = 0;
      }
      arrived = 0;
    }
  }
}
