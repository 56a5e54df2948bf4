package dev.orrery.server.net;

import io.netty.channel.EventLoop;
import java.util.ArrayList;
import java.util.List;

/**
 * What one event loop does in one turn: it reads from all connections that have something to read,
 * then answers all requests, then sends all replies. So neither the kernel's code nor ours drives
 * the other out of the processor's caches with each request, and a client is woken up for many
 * replies instead of for each. Belongs to its loop.
 */
final class LoopTurn {
  /** Connections of a turn; when there are more, the first do not wait for the last. */
  static final int CONNECTIONS_MAX = 32;

  private final EventLoop loop;
  private final Runnable endOfTurn = this::endScheduled;
  private final List<ConnectionHandler> read = new ArrayList<>(CONNECTIONS_MAX);
  private final List<ConnectionHandler> answered = new ArrayList<>(CONNECTIONS_MAX);
  private int connections;
  private boolean isScheduled;
  private boolean isEnding;

  LoopTurn(EventLoop loop) {
    this.loop = loop;
  }

  /** Another connection belongs to the loop from now on. */
  void opened() {
    connections++;
  }

  /** A connection is gone. */
  void closed() {
    connections--;
  }

  /** Lets a connection that has read bytes work them off before the turn ends. */
  void addRead(ConnectionHandler connection) {
    read.add(connection);
    endAfter(read.size());
  }

  /** Lets a connection send its replies at the end of the turn. */
  void addAnswered(ConnectionHandler connection) {
    answered.add(connection);
    endAfter(answered.size());
  }

  private void endAfter(int waiting) {
    if (isEnding) {
      return; // still comes into this turn
    }
    if (waiting >= CONNECTIONS_MAX || connections == 1) { // one alone has nobody to wait for
      end();
    } else if (!isScheduled) {
      isScheduled = true;
      loop.execute(endOfTurn); // behind what the loop has to do already
    }
  }

  private void endScheduled() {
    isScheduled = false;
    end();
  }

  private void end() {
    isEnding = true;
    try {
      for (int i = 0; i < read.size(); i++) {
        work(read.get(i));
      }
      for (int i = 0; i < answered.size(); i++) {
        flush(answered.get(i));
      }
    } finally {
      read.clear();
      answered.clear();
      isEnding = false;
    }
  }

  /** What breaks one connection must not take their turn from the others. */
  private static void work(ConnectionHandler connection) {
    try {
      connection.work();
    } catch (RuntimeException | Error e) {
      connection.broke(e);
    }
  }

  private static void flush(ConnectionHandler connection) {
    try {
      connection.flush();
    } catch (RuntimeException | Error e) {
      connection.broke(e);
    }
  }
}
