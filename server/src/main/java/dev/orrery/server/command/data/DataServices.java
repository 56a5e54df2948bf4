package dev.orrery.server.command.data;

import dev.orrery.language.limit.SpillArea;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.Workers;
import dev.orrery.server.command.collection.Databases;
import dev.orrery.server.cursor.CursorRegistry;
import dev.orrery.server.operation.Operations;
import dev.orrery.server.plan.Execution;
import dev.orrery.server.plan.Planner;
import dev.orrery.server.session.ClusterClock;
import java.time.Clock;
import java.util.function.Supplier;
import org.bson.types.ObjectId;

/**
 * What the commands on documents are made of.
 *
 * @param area where large sorts spill
 * @param ids makes the {@code _id} of documents that come without one
 */
public record DataServices(
    Databases databases,
    Planner planner,
    CursorRegistry cursors,
    ClusterClock clusterClock,
    Clock clock,
    Workers workers,
    SpillArea area,
    Supplier<ObjectId> ids,
    Operations operations) {
  /** What the plan of a command runs in; it ends when the command is killed or out of time. */
  Execution execution(CommandContext context, boolean usesDisk) {
    var execution =
        new Execution(area, usesDisk)
            .holding(context.operation().memory())
            .expiringBy(databases.expiry());
    context.operation().watch(execution);
    return execution;
  }
}
