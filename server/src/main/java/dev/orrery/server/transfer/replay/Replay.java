package dev.orrery.server.transfer.replay;

import com.mongodb.client.MongoClient;
import dev.orrery.server.transfer.source.TransferException;
import dev.orrery.server.workload.RecordedRequest;
import dev.orrery.server.workload.WorkloadReader;
import dev.orrery.value.Namespace;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Sends the requests of a workload again, each when its time has come. Requests of one connection
 * stay in their order; those of different ones run beside each other, as many as there are lanes.
 */
public final class Replay {
  static final int TOO_MANY_REQUESTS = 16500;

  private final MongoClient client;
  private final Settings settings;
  private final ReplayResult result = new ReplayResult();

  /**
   * How it is sent.
   *
   * @param speed 2 for twice as fast as it came; 0 for as fast as it goes
   * @param renamed collections that go elsewhere
   */
  public record Settings(double speed, int lanes, Map<Namespace, Namespace> renamed) {
    public Settings {
      renamed = Map.copyOf(renamed);
    }
  }

  public Replay(MongoClient client, Settings settings) {
    this.client = client;
    this.settings = settings;
  }

  /** Sends all of it; returns when the last answer has come. */
  public ReplayResult run(WorkloadReader workload) throws IOException {
    var lanes = new ArrayList<ReplayLane>();
    try {
      for (int i = 0; i < settings.lanes; i++) {
        lanes.add(new ReplayLane(client, settings.renamed, result));
      }
      feed(workload, lanes);
      for (ReplayLane lane : lanes) {
        lane.finish();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new TransferException("interrupted", e);
    } finally {
      lanes.forEach(ReplayLane::stop);
    }
    return result;
  }

  private void feed(WorkloadReader workload, List<ReplayLane> lanes)
      throws IOException, InterruptedException {
    long startNanos = System.nanoTime();
    for (RecordedRequest next = workload.next(); next != null; next = workload.next()) {
      if (next.isRefused()) {
        result.passedOver(); // whoever wanted it sent it again, and that is in the workload, too
        continue;
      }
      long due = settings.speed == 0 ? startNanos : startNanos + due(next);
      int lane = (int) Math.floorMod(next.origin().connection(), (long) lanes.size());
      lanes.get(lane).add(next, due);
    }
  }

  private long due(RecordedRequest request) {
    return (long) (TimeUnit.MICROSECONDS.toNanos(request.origin().micros()) / settings.speed);
  }
}
