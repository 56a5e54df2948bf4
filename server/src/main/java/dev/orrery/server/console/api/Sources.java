package dev.orrery.server.console.api;

import dev.orrery.server.command.AccessControl;
import dev.orrery.server.command.NetworkMeters;
import dev.orrery.server.command.collection.Databases;
import dev.orrery.server.console.history.LoadHistory;
import dev.orrery.server.cursor.CursorRegistry;
import dev.orrery.server.operation.Operations;
import dev.orrery.server.operation.RecentOperations;
import dev.orrery.server.session.Sessions;
import dev.orrery.server.session.Transactions;
import dev.orrery.server.throughput.Metering;
import dev.orrery.server.throughput.UsageLog;
import java.util.function.IntSupplier;

/** What the console looks at. */
public record Sources(
    Databases databases,
    Metering metering,
    UsageLog usage,
    LoadHistory history,
    RecentOperations operations,
    Running running,
    AccessControl access,
    CommandRunner commands,
    Facts facts) {

  /** What goes on right now. */
  public record Running(
      NetworkMeters network,
      Operations operations,
      CursorRegistry cursors,
      Sessions sessions,
      Transactions transactions) {}

  /**
   * What does not change while the server runs.
   *
   * @param mongoPort where drivers connect
   */
  public record Facts(
      String version,
      String profile,
      boolean isEphemeral,
      boolean needsLogin,
      Tls tls,
      long logicalPartitionBytes,
      long physicalPartitionBytes,
      IntSupplier mongoPort) {
    /** Whether drivers can, or must, encrypt. */
    public enum Tls {
      OFF,
      POSSIBLE,
      REQUIRED
    }
  }
}
