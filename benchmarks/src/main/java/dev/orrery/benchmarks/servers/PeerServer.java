package dev.orrery.benchmarks.servers;

import de.bwaldvogel.mongo.MongoBackend;
import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.backend.h2.H2Backend;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;

/** The peer, mongo-java-server, with documents on the heap or in a file of H2's MVStore. */
public final class PeerServer {
  private PeerServer() {}

  /** Takes the file of the store, or nothing, and says on standard output where it listens. */
  public static void main(String[] arguments) {
    MongoBackend backend =
        arguments.length == 0 ? new MemoryBackend() : new H2Backend(arguments[0]);
    var server = new MongoServer(backend);
    Runtime.getRuntime().addShutdownHook(new Thread(server::shutdownNow));
    ServerProcess.announce(server.bind().getPort());
  }
}
