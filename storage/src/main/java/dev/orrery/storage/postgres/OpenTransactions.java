package dev.orrery.storage.postgres;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The transactions of this server that hold something: as long as it says so, they do. */
final class OpenTransactions {
  private static final String RENEW = "UPDATE claim SET at = now() WHERE owner = ANY (?)";

  /** Of servers that have ended without saying so. */
  private static final String END = "DELETE FROM claim WHERE at < now() - interval '60 seconds'";

  private final Set<Long> owners = ConcurrentHashMap.newKeySet();

  void begin(long owner) {
    owners.add(owner);
  }

  void end(long owner) {
    owners.remove(owner);
  }

  int clean(DatabaseSession session) {
    long[] open = owners.stream().mapToLong(Long::longValue).toArray();
    if (open.length > 0) {
      session.update(RENEW, open);
    }
    return session.update(END);
  }
}
