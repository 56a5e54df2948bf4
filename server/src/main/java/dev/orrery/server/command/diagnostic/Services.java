package dev.orrery.server.command.diagnostic;

import dev.orrery.server.auth.Security;
import dev.orrery.server.command.CommandMetrics;
import dev.orrery.server.command.NetworkMeters;
import dev.orrery.server.command.ServerFacts;
import dev.orrery.server.command.ServerParameters;
import dev.orrery.server.cursor.CursorRegistry;
import dev.orrery.server.operation.Operations;
import dev.orrery.server.session.ClusterClock;
import dev.orrery.server.session.Sessions;

/**
 * What commands are made of.
 *
 * @param stop stops the server; returns at once
 */
public record Services(
    ServerFacts facts,
    Sessions sessions,
    ClusterClock clusterClock,
    CommandMetrics metrics,
    NetworkMeters network,
    ServerParameters parameters,
    RecentLog log,
    Runnable stop,
    Security security,
    Operations operations,
    CursorRegistry cursors,
    ConcernDefaults concerns) {}
