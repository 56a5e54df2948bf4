package dev.orrery.server.command.data;

import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.ServerFacts;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;

/** What every explanation says of the server that gives it. */
final class ExplainServer {
  private static final int PORT_DEFAULT = 27017;

  private ExplainServer() {}

  static BsonDocument add(ServerFacts facts, CommandContext context, BsonDocument reply) {
    String address = facts.hostFor(context.connection());
    int colon = address.lastIndexOf(':');
    String host = colon < 0 ? address : address.substring(0, colon);
    int port = colon < 0 ? PORT_DEFAULT : Integer.parseInt(address.substring(colon + 1));
    var server =
        new BsonDocument("host", new BsonString(host))
            .append("port", new BsonInt32(port))
            .append("version", new BsonString(ServerFacts.MONGODB_VERSION))
            .append("gitVersion", new BsonString(facts.version()));
    return reply.append("serverInfo", server).append("serverParameters", parameters());
  }

  /** The limits in force, by the names of MongoDB's parameters. */
  private static BsonDocument parameters() {
    var bytes = new BsonInt32(100 << 20);
    return new BsonDocument("internalQueryFacetBufferSizeBytes", bytes)
        .append("internalQueryFacetMaxOutputDocSizeBytes", bytes)
        .append("internalLookupStageIntermediateDocumentMaxSizeBytes", bytes)
        .append("internalDocumentSourceGroupMaxMemoryBytes", bytes)
        .append("internalQueryMaxBlockingSortMemoryUsageBytes", bytes)
        .append("internalQueryProhibitBlockingMergeOnMongoS", new BsonInt32(0))
        .append("internalQueryMaxAddToSetBytes", bytes)
        .append("internalDocumentSourceSetWindowFieldsMaxMemoryBytes", bytes)
        .append("internalQueryFrameworkControl", new BsonString("forceClassicEngine"));
  }
}
