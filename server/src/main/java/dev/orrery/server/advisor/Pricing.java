package dev.orrery.server.advisor;

import dev.orrery.language.query.Equalities;
import dev.orrery.language.query.Filter;
import dev.orrery.server.throughput.RequestUnits;
import dev.orrery.value.FieldPath;
import dev.orrery.value.RawValue;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * What a recorded statement would cost, and where, if the collection had another key and so many
 * partitions: by the server's own price list, from what the statement did when it was recorded.
 */
final class Pricing {
  /*
   * A find costs what it asks and loads, and what it returns. The last does not depend on the key, so it
   * is what is left of the recorded price. What it loads does: with a key that the filter fixes, the
   * index on the key bounds it to the bytes of the key's documents; without one, what the index on the
   * present key had bounded becomes a scan. What other indexes bound stays. A write costs its find, and
   * a price that stays.
   *
   * Partitions are asked one after the other until there is enough: the documents that are wanted at the
   * most, or a first batch. How many that are follows from how much of all that matches was wanted; for
   * one document that an index finds, it is as likely in the first as in the last.
   */

  private static final FieldPath ID = FieldPath.parse("_id");

  /** One index entry, in twenty-firsts: each document has one for a key other than _id. */
  private static final int TERM = 4;

  private final Candidate candidate;
  private final DocumentSketch documents;
  private final @Nullable String present;
  private final double averageBytes;
  private int turn;

  /**
   * @param present the path of the present key; null for a collection without one
   */
  Pricing(Candidate candidate, DocumentSketch documents, @Nullable String present) {
    this.candidate = candidate;
    this.documents = documents;
    this.present = present;
    this.averageBytes = documents.bytes() / (double) Math.max(1, documents.documents());
  }

  /**
   * A price and where it is paid.
   *
   * @param key the only value that is asked for; null for several or any
   * @param asked the partitions that are asked, which share the price of finding
   * @param writtenIn the partition that pays for writing; -1 if all that are asked do
   */
  record Cost(@Nullable KeyPlace key, int[] asked, double finding, double writing, int writtenIn) {
    double total() {
      return finding + writing;
    }

    double in(int index) {
      double share = (finding + (writtenIn < 0 ? writing : 0)) / asked.length;
      return share + (asked[index] == writtenIn ? writing : 0);
    }
  }

  /** What the filter of a statement says of the key; the same for any number of partitions. */
  record Target(@Nullable List<KeyPlace> keys, boolean hasId) {
    @Nullable KeyPlace only() {
      return keys != null && keys.size() == 1 ? keys.get(0) : null;
    }
  }

  Target target(Statement statement) {
    Filter filter = statement.filter();
    if (filter == null) {
      Candidate.Key key = candidate.of(statement.document());
      return new Target(key.isPossible() ? List.of(KeyPlace.of(key.value())) : null, false);
    }
    List<RawValue> fixed = candidate.fixedBy(filter);
    List<RawValue> ids = Equalities.fixedValues(filter, ID);
    boolean hasId = ids != null && ids.size() == 1;
    if (fixed == null) {
      return new Target(null, hasId);
    }
    var places = new ArrayList<KeyPlace>();
    fixed.forEach(value -> places.add(KeyPlace.of(value)));
    return new Target(places, hasId);
  }

  Cost of(Statement statement, Target target, int partitions) {
    Statement.Work work = statement.work();
    if (statement.kind() == Statement.Kind.INSERT) {
      KeyPlace key = target.only();
      int place = key == null ? next(partitions) : key.partition(partitions);
      return new Cost(key, new int[] {place}, 0, work.price() + terms(), place);
    }
    if (statement.kind() == Statement.Kind.READ_ON) {
      KeyPlace key = target.only();
      int place = key == null ? next(partitions) : key.partition(partitions);
      return new Cost(key, new int[] {place}, work.price(), 0, -1);
    }
    double rest = Math.max(0, work.price() - findingThen(work));
    int[] asked = asked(statement, target, partitions);
    boolean isPoint = target.only() != null && target.hasId();
    if (!statement.kind().isWrite) {
      double price =
          isPoint ? pointRead(work) : finding(work, target, asked.length) + returned(work, rest);
      return new Cost(target.only(), asked, price, 0, -1);
    }
    double found = isPoint ? pointRead(work) : finding(work, target, asked.length);
    double written = rest == 0 ? 0 : rest + removed(statement, rest);
    return new Cost(target.only(), asked, found, written, writtenIn(statement, target, asked));
  }

  private int next(int partitions) {
    turn = turn == Integer.MAX_VALUE ? 0 : turn + 1;
    return turn % partitions;
  }

  private static int writtenIn(Statement statement, Target target, int[] asked) {
    boolean isOne = statement.kind().needsKey || target.only() != null;
    return isOne ? asked[asked.length - 1] : -1;
  }

  private int[] asked(Statement statement, Target target, int partitions) {
    Statement.Work work = statement.work();
    if (target.keys() != null) {
      Set<Integer> places = new HashSet<>();
      target.keys().forEach(key -> places.add(key.partition(partitions)));
      int[] asked = places.stream().mapToInt(Integer::intValue).sorted().toArray();
      double share = endsEarly(work) ? wanted(work) / bytesOf(target) : 1;
      return asked.length == 0 ? new int[] {0} : Arrays.copyOf(asked, part(share, asked.length));
    }
    int count = partitions;
    if (statement.kind().needsKey || endsEarly(work)) {
      boolean isScan = work.access() == Statement.Access.SCAN;
      double share = work.bytesLoaded() / Math.max(1, documents.bytes());
      count = isScan ? part(share, partitions) : 1 + next(partitions);
    }
    return IntStream.range(0, count).toArray();
  }

  private static int part(double share, int partitions) {
    return (int) Math.max(1, Math.min(partitions, Math.ceil(share * partitions)));
  }

  /** Whether it had enough before it had seen everything. */
  private static boolean endsEarly(Statement.Work work) {
    return work.limit() > 0 && work.results() >= work.limit();
  }

  /** The bytes of as many documents as it gave. */
  private double wanted(Statement.Work work) {
    return work.results() * averageBytes;
  }

  private double bytesOf(Target target) {
    double bytes = 0;
    for (KeyPlace key : target.keys()) {
      bytes += documents.bytesOf(key);
    }
    return Math.max(1, bytes);
  }

  /** What the recorded statement paid for finding. */
  private static double findingThen(Statement.Work work) {
    return work.access() == Statement.Access.POINT
        ? RequestUnits.pointRead((long) work.bytesLoaded()).twentyFirsts()
        : query(work.partitions(), work.bytesLoaded());
  }

  private static double query(double partitions, double bytes) {
    double one =
        RequestUnits.query(new RequestUnits.QueryWork(1, (long) bytes, 0, 0)).twentyFirsts();
    double asked = RequestUnits.query(new RequestUnits.QueryWork(1, 0, 0, 0)).twentyFirsts();
    return one + asked * (partitions - 1);
  }

  private double pointRead(Statement.Work work) {
    boolean isSame = work.access() == Statement.Access.POINT;
    double bytes = isSame ? work.bytesLoaded() : averageBytes;
    return RequestUnits.pointRead((long) bytes).twentyFirsts();
  }

  private double finding(Statement.Work work, Target target, int asked) {
    return query(asked, loaded(work, target));
  }

  private double loaded(Statement.Work work, Target target) {
    if (work.access() == Statement.Access.POINT || target.hasId()) {
      return work.access() == Statement.Access.POINT ? work.bytesLoaded() : averageBytes;
    }
    boolean isPresent = candidate.inputs().equals(List.of(String.valueOf(present)));
    if (isPresent && !candidate.isSynthetic()) {
      return work.bytesLoaded();
    }
    boolean isSure = work.access() == Statement.Access.INDEX;
    if (target.keys() == null) {
      boolean isScan = work.access() == Statement.Access.KEY_INDEX;
      return isScan ? documents.bytes() : work.bytesLoaded();
    }
    double bytes = endsEarly(work) ? Math.min(wanted(work), bytesOf(target)) : bytesOf(target);
    return isSure ? Math.min(bytes, work.bytesLoaded()) : bytes;
  }

  private double returned(Statement.Work work, double rest) {
    if (work.access() != Statement.Access.POINT || work.results() == 0) {
      return rest;
    }
    long bytes = (long) work.bytesLoaded();
    return RequestUnits.query(new RequestUnits.QueryWork(1, 0, 1, bytes)).twentyFirsts()
        - query(1, 0);
  }

  /** What the entry in the index on the key adds to each new document, or takes from it. */
  private int terms() {
    int then = present == null || present.equals("_id") ? 0 : TERM;
    return (candidate.isId() ? 0 : TERM) - then;
  }

  /** The same for what a deletion removes. */
  private double removed(Statement statement, double writing) {
    boolean isDeletion =
        statement.kind() == Statement.Kind.DELETE_ONE
            || statement.kind() == Statement.Kind.DELETE_MANY;
    double each = RequestUnits.delete((long) averageBytes, 1).twentyFirsts();
    return isDeletion ? terms() * Math.max(1, Math.rint(writing / each)) : 0;
  }
}
