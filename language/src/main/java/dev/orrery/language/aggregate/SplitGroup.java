package dev.orrery.language.aggregate;

import dev.orrery.language.aggregate.accumulator.Accumulation;
import dev.orrery.language.aggregate.stage.DocumentStream;
import dev.orrery.language.aggregate.stage.Environment;
import dev.orrery.language.aggregate.stage.PipelineRun;
import dev.orrery.language.aggregate.stage.Stage;
import dev.orrery.value.RawDocument;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * The first $group of a pipeline when every partition of the collection can group its own documents
 * first: only stages that look at one document at a time come before it.
 *
 * @param stages all that follow the query
 * @param place where in them the $group is
 */
record SplitGroup(List<Stage> stages, int place) {
  /** Null if there is no such $group. */
  static @Nullable SplitGroup find(Head head, List<Stage> stages) {
    if (head.sort() != null || head.skip() > 0 || head.limit() > 0) {
      return null; // which documents, and in which order, is not up to one partition
    }
    int place = 0;
    while (place < stages.size() && stages.get(place).isPerDocument()) {
      place++;
    }
    boolean isDivisible =
        place < stages.size()
            && stages.get(place) instanceof GroupStage group
            && group.accumulations().stream().allMatch(Accumulation::isDivisible);
    return isDivisible ? new SplitGroup(stages, place) : null;
  }

  GroupStage group() {
    return (GroupStage) stages.get(place);
  }

  private List<Stage> before() {
    return stages.subList(0, place);
  }

  List<Stage> after() {
    return stages.subList(place + 1, stages.size());
  }

  /** The groups of all parts; what they read is counted by the meters, if there are any. */
  DocumentStream open(
      List<Environment.RawPart> parts, PipelineRun run, @Nullable List<StreamMeter> meters) {
    List<StreamMeter> totals = new ArrayList<>();
    for (int i = 0; meters != null && i <= place; i++) {
      totals.add(new StreamMeter(() -> null));
    }
    if (meters != null) {
      meters.addAll(totals);
    }
    return group()
        .open(run, whole -> groupAll(whole, new Opened(parts, run, totals), run), () -> {});
  }

  private void groupAll(Grouping whole, Opened parts, PipelineRun run) {
    List<Grouping> own = new ArrayList<>();
    parts.runs.forEach(each -> own.add(Grouping.partial(group(), each)));
    new SplitGrouping(whole, parts, own, run.spill().bytesMax())
        .run(run.environment().spareThreads());
  }

  /** The parts as the stages before the $group make them; each has a run of its own. */
  private final class Opened implements SplitGrouping.Parts {
    private final List<Environment.RawPart> parts;
    private final List<PipelineRun> runs = new ArrayList<>();
    private final List<StreamMeter> totals;

    Opened(List<Environment.RawPart> parts, PipelineRun run, List<StreamMeter> totals) {
      this.parts = parts;
      this.totals = totals;
      parts.forEach(part -> runs.add(run.fork())); // now, while only one thread knows the run
    }

    @Override
    public int count() {
      return parts.size();
    }

    @Override
    public DocumentStream open(int part, Runnable check) {
      DocumentStream source =
          Decoding.of(parts.get(part).open(check), stages, runs.get(part).scope());
      if (totals.isEmpty()) {
        return Pipeline.openAll(before(), source, runs.get(part), null);
      }
      var meters = new ArrayList<StreamMeter>();
      meters.add(new StreamMeter(source));
      DocumentStream stream = Pipeline.openAll(before(), meters.get(0), runs.get(part), meters);
      return new DocumentStream() {
        @Override
        public @Nullable BsonDocument next() {
          return stream.next();
        }

        @Override
        public void close() {
          stream.close();
          addUp(meters);
        }
      };
    }

    private void addUp(List<StreamMeter> meters) {
      synchronized (totals) {
        for (int i = 0; i < meters.size(); i++) {
          totals.get(i).add(meters.get(i));
        }
      }
    }
  }

  /** What each partition does, as mongos would send it to a shard. */
  List<BsonDocument> partitionPart(RawDocument filter) {
    var part = new ArrayList<BsonDocument>();
    if (filter.length() > RawDocument.EMPTY.length()) {
      part.add(new BsonDocument("$match", filter.toBsonDocument()));
    }
    stages.subList(0, place + 1).forEach(stage -> part.add(stage.specification().clone()));
    return part;
  }

  /** What is done with the groups of all partitions, in the words of mongos. */
  List<BsonDocument> mergingPart() {
    var merging = new BsonDocument("_id", new BsonString("$$ROOT._id"));
    group()
        .specification()
        .getDocument("$group")
        .forEach(
            (field, accumulator) -> {
              if (!field.equals("_id")) {
                merging.append(field, merging(field, accumulator.asDocument()));
              }
            });
    merging.append("$doingMerge", BsonBoolean.TRUE);
    var part = new ArrayList<BsonDocument>();
    part.add(new BsonDocument("$group", merging));
    after().forEach(stage -> part.add(stage.specification().clone()));
    return part;
  }

  /** {@code {$sum: "$$ROOT.total"}}; of those with several arguments, the input is replaced. */
  private static BsonDocument merging(String field, BsonDocument accumulator) {
    String name = accumulator.getFirstKey();
    var state = new BsonString("$$ROOT." + field);
    BsonValue argument = accumulator.get(name);
    for (String input : List.of("input", "output")) {
      boolean isNamed = name.matches("\\$(.*N|top|bottom|median|percentile)");
      if (isNamed && argument.isDocument() && argument.asDocument().containsKey(input)) {
        BsonDocument changed = argument.asDocument().clone();
        changed.put(input, state);
        return new BsonDocument(name, changed);
      }
    }
    return new BsonDocument(name, state);
  }
}
