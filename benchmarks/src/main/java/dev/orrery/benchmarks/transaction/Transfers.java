package dev.orrery.benchmarks.transaction;

import dev.orrery.benchmarks.client.CommandConnection;
import dev.orrery.benchmarks.report.Turns;
import dev.orrery.benchmarks.servers.ServerProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.bson.BsonArray;
import org.bson.BsonBinary;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;

/**
 * Transfers between accounts: two durable updates and a commit in a transaction, against the same
 * two updates alone. Each connection has accounts of its own, so there are no conflicts.
 */
final class Transfers {
  private static final String DATABASE = "benchmark";
  private static final int ACCOUNTS_EACH = 100;

  /** What is run. */
  record Plan(Path jar, int connections, int seconds, int rounds, int warmups) {}

  private final Plan plan;

  Transfers(Plan plan) {
    this.plan = plan;
  }

  void run() throws Exception {
    Path directory = Files.createTempDirectory("orrery-transfers");
    ExecutorService threads = Executors.newFixedThreadPool(plan.connections);
    try (var server = ServerProcess.start(command(directory));
        var control = new CommandConnection(server.address())) {
      var clients = new ArrayList<Client>();
      for (int i = 0; i < plan.connections; i++) {
        clients.add(new Client(new CommandConnection(server.address()), i * ACCOUNTS_EACH));
      }
      fill(control);
      var turns = new Turns(plan.rounds, plan.warmups);
      turns.run(isInside -> perSecond(threads, clients, isInside));
      System.out.println("| transfers each second | in transactions | alone | ratio |");
      System.out.println("|---|---|---|---|");
      System.out.println(turns.row(plan.connections + " connections"));
      for (Client client : clients) {
        client.connection.close();
      }
      requireTotal(control);
    } finally {
      threads.shutdownNow();
      delete(directory);
    }
  }

  private List<String> command(Path directory) {
    return List.of(
        "-Dsun.misc.unsafe.memory.access=allow",
        "-Dorrery.log.level=error",
        "-Xmx1g",
        "-jar",
        plan.jar.toString(),
        "--port=0",
        "--console-port=off",
        "--data=" + directory.resolve("data"));
  }

  private void fill(CommandConnection connection) throws IOException {
    var documents = new BsonArray();
    for (int id = 0; id < plan.connections * ACCOUNTS_EACH; id++) {
      documents.add(
          new BsonDocument("_id", new BsonInt32(id)).append("balance", new BsonInt64(100)));
    }
    connection.run(
        DATABASE,
        new BsonDocument("insert", new BsonString("accounts")).append("documents", documents));
  }

  private double perSecond(ExecutorService threads, List<Client> clients, boolean isInside)
      throws Exception {
    long start = System.nanoTime();
    long end = start + TimeUnit.SECONDS.toNanos(plan.seconds);
    var work = new ArrayList<Callable<Long>>();
    clients.forEach(client -> work.add(() -> client.transfer(end, isInside)));
    long transfers = 0;
    for (Future<Long> done : threads.invokeAll(work)) {
      transfers += done.get();
    }
    return transfers * (double) TimeUnit.SECONDS.toNanos(1) / (System.nanoTime() - start);
  }

  /** What was measured must have been done. */
  private void requireTotal(CommandConnection connection) throws IOException {
    BsonDocument sum =
        BsonDocument.parse(
            "{aggregate: 'accounts', pipeline: [{$group: {_id: null, sum: {$sum: '$balance'}}}],"
                + " cursor: {}}");
    BsonDocument cursor = connection.run(DATABASE, sum).getDocument("cursor");
    long total = cursor.getArray("firstBatch").get(0).asDocument().getNumber("sum").longValue();
    if (total != 100L * plan.connections * ACCOUNTS_EACH) {
      throw new IllegalStateException("transfers have changed the total to " + total);
    }
  }

  private static void delete(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  /** One connection, its session and its accounts. */
  private static final class Client {
    private final CommandConnection connection;
    private final int firstAccount;
    private final SplittableRandom random;
    private final BsonDocument session;
    private long number;

    Client(CommandConnection connection, int firstAccount) {
      this.connection = connection;
      this.firstAccount = firstAccount;
      this.random = new SplittableRandom(firstAccount);
      var id = new UUID(random.nextLong(), random.nextLong());
      this.session = new BsonDocument("id", new BsonBinary(id));
    }

    long transfer(long end, boolean isInside) throws IOException {
      long transfers = 0;
      while (System.nanoTime() - end < 0) {
        int from = random.nextInt(ACCOUNTS_EACH);
        int to = (from + 1 + random.nextInt(ACCOUNTS_EACH - 1)) % ACCOUNTS_EACH;
        BsonDocument take = update(from, -1);
        BsonDocument give = update(to, 1);
        if (isInside) {
          number++;
          connection.run(DATABASE, inside(take).append("startTransaction", BsonBoolean.TRUE));
          connection.run(DATABASE, inside(give));
          connection.run("admin", inside(new BsonDocument("commitTransaction", new BsonInt32(1))));
        } else {
          connection.run(DATABASE, take);
          connection.run(DATABASE, give);
        }
        transfers++;
      }
      return transfers;
    }

    private BsonDocument update(int account, int by) {
      BsonDocument statement =
          new BsonDocument("q", new BsonDocument("_id", new BsonInt32(firstAccount + account)))
              .append(
                  "u", new BsonDocument("$inc", new BsonDocument("balance", new BsonInt32(by))));
      return new BsonDocument("update", new BsonString("accounts"))
          .append("updates", new BsonArray(List.of(statement)));
    }

    private BsonDocument inside(BsonDocument command) {
      return command
          .append("lsid", session)
          .append("txnNumber", new BsonInt64(number))
          .append("autocommit", BsonBoolean.FALSE);
    }
  }
}
