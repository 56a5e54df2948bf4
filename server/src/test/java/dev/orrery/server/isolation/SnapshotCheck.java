package dev.orrery.server.isolation;

import dev.orrery.server.isolation.History.End;
import dev.orrery.server.isolation.History.Ended;
import dev.orrery.server.isolation.History.Step;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Finds what snapshot isolation forbids in a history.
 *
 * <pre>
 * The lists tell the order of versions, and these tell who depends on whom (Adya):
 *   ww  wrote the version before the other one's
 *   wr  wrote the version that the other one read
 *   rw  read a version before the one that the other one wrote
 * G0 is a cycle of ww, G1a a read of what was aborted, G1b one of what was written over in the same
 * transaction, G1c a cycle of ww and wr. Snapshot isolation also forbids every cycle in which no
 * two rw stand side by side: with one rw it is G-single, of which a lost update is the best known.
 * Cycles with two rw side by side are write skew, which is allowed.
 * </pre>
 *
 * <p>Such cycles are those of the relation "ww or wr, then perhaps one rw" (Cerone and Gotsman).
 * What one client did one after the other counts as wr: a client sees what it wrote before.
 */
public final class SnapshotCheck {
  private final List<Ended> transactions;
  private final Map<Integer, Integer> writers = new HashMap<>();
  private final Map<Integer, List<Integer>> orders = new HashMap<>();
  private final Graph writes;
  private final Graph reads;
  private final Graph antis;
  private final Set<String> anomalies = new TreeSet<>();

  private SnapshotCheck(List<Ended> transactions) {
    this.transactions = transactions;
    this.writes = new Graph(transactions.size());
    this.reads = new Graph(transactions.size());
    this.antis = new Graph(transactions.size());
  }

  /** What is forbidden and was found; empty when nothing was. */
  public static Set<String> anomalies(History history) {
    var check = new SnapshotCheck(history.all());
    check.run();
    return check.anomalies;
  }

  private void run() {
    for (int i = 0; i < transactions.size(); i++) {
      for (Step step : transactions.get(i).steps()) {
        if (!step.isRead()) {
          writers.put(step.appended(), i);
        }
      }
    }
    transactions.forEach(this::requireInternal);
    collectOrders();
    connect();
    classify();
  }

  /** A transaction sees one version of a list, and its own numbers behind it. */
  private void requireInternal(Ended transaction) {
    var expected = new HashMap<Integer, List<Integer>>();
    var appended = new HashMap<Integer, List<Integer>>();
    for (Step step : transaction.steps()) {
      List<Integer> own = appended.computeIfAbsent(step.key(), key -> new ArrayList<>());
      if (!step.isRead()) {
        own.add(step.appended());
        continue;
      }
      List<Integer> outside = outside(step.seen(), own);
      if (outside == null) {
        anomalies.add("own write not seen: " + step + " after " + own);
        continue;
      }
      List<Integer> before = expected.putIfAbsent(step.key(), outside);
      if (before != null && !before.equals(outside)) {
        anomalies.add("unrepeatable read: " + before + " then " + outside);
      }
    }
  }

  /** What others wrote of a list; null when the own numbers do not end it. */
  private static List<Integer> outside(List<Integer> seen, List<Integer> own) {
    int length = seen.size() - own.size();
    return length >= 0 && seen.subList(length, seen.size()).equals(own)
        ? seen.subList(0, length)
        : null;
  }

  /** The longest list that anybody committed to have seen is the order; all others begin it. */
  private void collectOrders() {
    for (Ended transaction : transactions) {
      if (transaction.end() != End.COMMITTED) {
        continue;
      }
      for (Step step : transaction.steps()) {
        if (step.isRead()) {
          orders.merge(step.key(), step.seen(), SnapshotCheck::longer);
        }
      }
    }
    for (Ended transaction : transactions) {
      if (transaction.end() == End.COMMITTED) {
        transaction.steps().forEach(this::requireOrder);
      }
    }
  }

  private static List<Integer> longer(List<Integer> one, List<Integer> other) {
    return one.size() >= other.size() ? one : other;
  }

  private void requireOrder(Step step) {
    List<Integer> order = orders.getOrDefault(step.key(), List.of());
    if (!step.isRead()) {
      if (!order.contains(step.appended())) {
        anomalies.add("lost: " + step.appended() + " was committed and is not there");
      }
      return;
    }
    if (!order.subList(0, step.seen().size()).equals(step.seen())) {
      anomalies.add("two orders: " + step.seen() + " and " + order);
    }
    for (int number : step.seen()) {
      Integer writer = writers.get(number);
      if (writer == null) {
        anomalies.add("nobody wrote " + number);
      } else if (transactions.get(writer).end() == End.ABORTED) {
        anomalies.add("G1a: " + number + " was aborted and read");
      }
    }
  }

  private void connect() {
    orders.forEach(
        (key, order) -> {
          for (int i = 1; i < order.size(); i++) {
            writes.add(writer(order.get(i - 1)), writer(order.get(i)));
          }
        });
    var lastOfClient = new HashMap<Integer, Integer>();
    for (int i = 0; i < transactions.size(); i++) {
      Ended transaction = transactions.get(i);
      if (transaction.end() != End.COMMITTED) {
        continue;
      }
      Integer before = lastOfClient.put(transaction.client(), i);
      if (before != null) {
        reads.add(before, i);
      }
      connect(i, transaction);
    }
  }

  private int writer(int number) {
    return writers.getOrDefault(number, -1);
  }

  private void connect(int reader, Ended transaction) {
    var own = new HashMap<Integer, List<Integer>>();
    for (Step step : transaction.steps()) {
      List<Integer> appended = own.computeIfAbsent(step.key(), key -> new ArrayList<>());
      if (!step.isRead()) {
        appended.add(step.appended());
        continue;
      }
      List<Integer> seen = outside(step.seen(), appended);
      if (seen == null) {
        continue;
      }
      List<Integer> order = orders.get(step.key());
      if (!seen.isEmpty()) {
        int last = seen.get(seen.size() - 1);
        requireFinal(step.key(), last);
        reads.add(writer(last), reader);
      }
      if (seen.size() < order.size()) {
        antis.add(reader, writer(order.get(seen.size())));
      }
    }
  }

  private void requireFinal(int key, int number) {
    int writer = writer(number);
    if (writer < 0) {
      return;
    }
    int last = 0;
    for (Step step : transactions.get(writer).steps()) {
      last = step.key() == key && !step.isRead() ? step.appended() : last;
    }
    if (last != number) {
      anomalies.add("G1b: " + number + " was read, and its transaction wrote " + last + " later");
    }
  }

  private void classify() {
    if (writes.hasCycle()) {
      anomalies.add("G0");
      return;
    }
    Graph depends = writes.with(reads);
    if (depends.hasCycle()) {
      anomalies.add("G1c");
      return;
    }
    if (!depends.with(depends.then(antis)).hasCycle()) {
      return;
    }
    anomalies.add(isSingle(depends) ? "G-single" : "G-nonadjacent");
  }

  private boolean isSingle(Graph depends) {
    for (int from = 0; from < transactions.size(); from++) {
      for (int to : antis.after(from)) {
        if (depends.reaches(to, from)) {
          return true;
        }
      }
    }
    return false;
  }

  /** Who comes before whom. */
  private static final class Graph {
    private final List<Set<Integer>> edges = new ArrayList<>();

    Graph(int size) {
      for (int i = 0; i < size; i++) {
        edges.add(new HashSet<>());
      }
    }

    void add(int from, int to) {
      if (from >= 0 && to >= 0 && from != to) {
        edges.get(from).add(to);
      }
    }

    Set<Integer> after(int from) {
      return edges.get(from);
    }

    Graph with(Graph other) {
      var both = new Graph(edges.size());
      for (int i = 0; i < edges.size(); i++) {
        both.edges.get(i).addAll(edges.get(i));
        both.edges.get(i).addAll(other.edges.get(i));
      }
      return both;
    }

    /** One step here, then one there; a way back to where it began is a cycle of its own. */
    Graph then(Graph other) {
      var joined = new Graph(edges.size());
      for (int i = 0; i < edges.size(); i++) {
        for (int middle : edges.get(i)) {
          joined.edges.get(i).addAll(other.edges.get(middle));
        }
      }
      return joined;
    }

    boolean hasCycle() {
      var waiting = new int[edges.size()];
      edges.forEach(all -> all.forEach(to -> waiting[to]++));
      var free = new ArrayList<Integer>();
      for (int i = 0; i < waiting.length; i++) {
        if (waiting[i] == 0) {
          free.add(i);
        }
      }
      int done = 0;
      while (!free.isEmpty()) {
        int next = free.remove(free.size() - 1);
        done++;
        for (int to : edges.get(next)) {
          if (--waiting[to] == 0) {
            free.add(to);
          }
        }
      }
      return done < edges.size();
    }

    boolean reaches(int from, int to) {
      var seen = new HashSet<Integer>();
      var open = new ArrayList<Integer>();
      open.add(from);
      while (!open.isEmpty()) {
        int next = open.remove(open.size() - 1);
        if (next == to) {
          return true;
        }
        if (seen.add(next)) {
          open.addAll(edges.get(next));
        }
      }
      return false;
    }
  }
}
