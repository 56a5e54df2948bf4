package dev.orrery.server.operation;

import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.limit.MemoryBudget;
import dev.orrery.server.session.Transactions;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.bson.types.ObjectId;
import org.jspecify.annotations.Nullable;

/**
 * The connected clients and the request of each. A request is entered by one store into its
 * connection and found by walking over the connections: many requests pay little, and the few who
 * ask pay more.
 */
public final class Operations {
  private final Map<Long, Client> clients = new ConcurrentHashMap<>();

  /** Those who are gone and whose last request goes on: it is still to be seen, and killed. */
  private final Map<Long, Client> gone = new ConcurrentHashMap<>();

  private final AtomicBoolean hasLeft = new AtomicBoolean();
  private final AtomicInteger lastId = new AtomicInteger();
  private final WriteLock writeLock = new WriteLock();
  private final Topology topology = new Topology(new ObjectId());
  private final MemoryBudget memory;
  private @Nullable Transactions transactions;

  /** Counts memory, and limits nothing. */
  public Operations() {
    this(MemoryBudget.unlimited());
  }

  /**
   * @param memory what all requests and cursors may hold together
   */
  public Operations(MemoryBudget memory) {
    this.memory = memory;
  }

  /** What all requests and cursors hold together. */
  public MemoryBudget memory() {
    return memory;
  }

  /** Names the transactions that reports tell of; to be called before the first request. */
  public void showing(Transactions open) {
    transactions = open;
  }

  /** Null where there are none. */
  public @Nullable Transactions transactions() {
    return transactions;
  }

  /** What clients know of the server's role. */
  public Topology topology() {
    return topology;
  }

  /** Holds writes back when somebody asks for it. */
  public WriteLock writeLock() {
    return writeLock;
  }

  public void opened(Client client) {
    clients.put(client.id(), client);
  }

  /** Forgets a client that is gone, and ends what it can no longer be told. */
  public void closed(Client client) {
    gone.values().removeIf(each -> each.operation() == null);
    Operation last = client.operation();
    if (last != null) {
      gone.put(client.id(), client);
    }
    clients.remove(client.id());
    hasLeft.set(true);
    if (last != null && (last.subject().endsWithClient() || last.isWaiting())) {
      last.kill(ErrorCode.CLIENT_DISCONNECT);
    }
  }

  /** Whether any client has gone since it was asked last. */
  public boolean takeLeft() {
    return hasLeft.getAndSet(false);
  }

  /** Says that it is to be asked again. */
  public void lookAgain() {
    hasLeft.set(true);
  }

  /** Those who have a connection. */
  public Set<Object> connected() {
    var keys = new HashSet<>();
    clients.values().forEach(client -> keys.add(client.clientKey()));
    return keys;
  }

  /** A number that no other request has, until four billion later. */
  public int nextId() {
    return lastId.incrementAndGet();
  }

  /** All connections, whether they are at work or not, and requests without one; a snapshot. */
  public List<Client> clients() {
    var all = new ArrayList<>(clients.values());
    for (Client client : gone.values()) {
      if (client.operation() != null) {
        all.add(client);
      }
    }
    return all;
  }

  /** What is being worked on; a snapshot. */
  public List<Operation> running() {
    var running = new ArrayList<Operation>();
    for (Client client : clients()) {
      Operation operation = client.operation();
      if (operation != null) {
        running.add(operation);
      }
    }
    return running;
  }

  /** Asks those to end that wait for others, as nothing will come any more. */
  public void killWaiting(ErrorCode why) {
    kill(Operation::isWaiting, why);
  }

  /** Asks those to end that are meant. */
  public void kill(Predicate<Operation> which, ErrorCode why) {
    for (Operation operation : running()) {
      if (which.test(operation)) {
        operation.kill(why);
      }
    }
  }
}
