package dev.orrery.server.command.diagnostic;

import dev.orrery.server.command.ClientConnection;
import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.ServerFacts;
import dev.orrery.server.session.ClusterClock;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.BsonTimestamp;

/** {@code replSetGetStatus}: a replica set of one, whose primary is this server. */
final class ReplSetGetStatusCommand implements Command {
  private static final BsonInt32 ONE = new BsonInt32(1);

  private final ServerFacts facts;
  private final ClusterClock clusterClock;

  ReplSetGetStatusCommand(ServerFacts facts, ClusterClock clusterClock) {
    this.facts = facts;
    this.clusterClock = clusterClock;
  }

  @Override
  public Spec spec() {
    return Spec.of("replSetGetStatus", Access.READ, Trait.ADMIN_DATABASE);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    body.ignore("initialSync");
    body.finish();
    BsonTimestamp now = clusterClock.now();
    BsonDocument opTime = ReplicaSet.opTime(now);
    return new BsonDocument("set", new BsonString(facts.setName()))
        .append("date", new BsonDateTime(facts.clock().millis()))
        .append("myState", ONE)
        .append("term", new BsonInt64(ReplicaSet.TERM))
        .append("syncSourceHost", new BsonString(""))
        .append("syncSourceId", new BsonInt32(-1))
        .append("heartbeatIntervalMillis", new BsonInt64(2000))
        .append("majorityVoteCount", ONE)
        .append("writeMajorityCount", ONE)
        .append("votingMembersCount", ONE)
        .append("writableVotingMembersCount", ONE)
        .append(
            "optimes",
            new BsonDocument("lastCommittedOpTime", opTime)
                .append("lastCommittedWallTime", ReplicaSet.date(now))
                .append("readConcernMajorityOpTime", opTime)
                .append("appliedOpTime", opTime)
                .append("durableOpTime", opTime)
                .append("lastAppliedWallTime", ReplicaSet.date(now))
                .append("lastDurableWallTime", ReplicaSet.date(now)))
        .append("members", new BsonArray(List.of(member(context.connection(), now))));
  }

  private BsonDocument member(ClientConnection connection, BsonTimestamp now) {
    return new BsonDocument("_id", new BsonInt32(0))
        .append("name", new BsonString(facts.hostFor(connection)))
        .append("health", new BsonDouble(1))
        .append("state", ONE)
        .append("stateStr", new BsonString("PRIMARY"))
        .append("uptime", new BsonInt32((int) (facts.uptimeMillis() / 1000)))
        .append("optime", ReplicaSet.opTime(now))
        .append("optimeDate", ReplicaSet.date(now))
        .append("syncSourceHost", new BsonString(""))
        .append("syncSourceId", new BsonInt32(-1))
        .append("infoMessage", new BsonString(""))
        .append("electionDate", new BsonDateTime(facts.startMillis()))
        .append("configVersion", ONE)
        .append("configTerm", ONE)
        .append("self", BsonBoolean.TRUE)
        .append("lastHeartbeatMessage", new BsonString(""));
  }
}
