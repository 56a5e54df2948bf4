package dev.orrery.server.command.advice;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.limit.Allowance;
import dev.orrery.server.advisor.AdviceReport;
import dev.orrery.server.advisor.Advisor;
import dev.orrery.server.advisor.AdvisorSettings;
import dev.orrery.server.advisor.Growth;
import dev.orrery.server.advisor.Prices;
import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.collection.Databases;
import dev.orrery.server.workload.RecordedRequest;
import dev.orrery.server.workload.WorkloadReader;
import dev.orrery.server.workload.WorkloadRecorder;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.PartitionStore;
import dev.orrery.storage.RecordCursor;
import dev.orrery.storage.StoredDocument;
import dev.orrery.storage.WorkMeter;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/**
 * {@code advisePartitionKey}: judges what could be the partition key of a collection, by its
 * documents and a recorded workload.
 */
final class AdvisePartitionKeyCommand implements Command {
  private static final int PARTITIONS_MAX = 64;
  private static final int CANDIDATES_MAX = 16;

  /** What sketches of all candidates take. */
  private static final long SKETCH_BYTES = 48L << 20;

  private static final double PERCENT = 100;

  private final Databases databases;
  private final WorkloadRecorder recorder;

  AdvisePartitionKeyCommand(Databases databases, WorkloadRecorder recorder) {
    this.databases = databases;
    this.recorder = recorder;
  }

  @Override
  public Spec spec() {
    return Spec.of("advisePartitionKey", Access.READ, Trait.LONG);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    String name = body.collection();
    String workload = body.requireString("workload");
    List<String> asked = texts(body.array("candidates"));
    long partitions = body.atLeast("partitions", 1, AdvisorSettings.PARTITIONS);
    long growth = body.int64("growthPercent", -1);
    body.finish();
    if (!WorkloadRecorder.isName(workload)) {
      throw bad("'" + workload + "' is no name of a workload");
    }
    if (partitions > PARTITIONS_MAX || asked.size() > CANDIDATES_MAX || growth < -1) {
      throw bad(
          "advisePartitionKey takes up to %d partitions and %d candidates, and a growth of 0 or more"
              .formatted(PARTITIONS_MAX, CANDIDATES_MAX));
    }
    CollectionStore collection = databases.require(context.database(), name);
    CollectionInfo info = collection.info();
    if (info.isView()) {
      throw new CommandException(
          ErrorCode.COMMAND_NOT_SUPPORTED_ON_VIEW, "a view has no partition key: " + name);
    }
    var settings =
        new AdvisorSettings(
            asked,
            info.partitionKey(),
            unique(info),
            (int) partitions,
            growth < 0 ? Growth.MEASURED : new Growth(growth / PERCENT),
            Prices.standard());
    Allowance.current().hold(SKETCH_BYTES);
    try {
      return AdviceReport.of(
          new Advisor(settings)
              .advise(
                  to -> readDocuments(collection, to),
                  to -> readRequests(workload, info.namespace(), to)));
    } catch (NoSuchFileException e) {
      throw bad("there is no workload '" + workload + "'");
    } catch (IOException e) {
      throw new CommandException(ErrorCode.OPERATION_FAILED, e.getMessage());
    }
  }

  private static CommandException bad(String message) {
    return new CommandException(ErrorCode.BAD_VALUE, message);
  }

  private static List<String> texts(@Nullable List<RawValue> values) {
    var texts = new ArrayList<String>();
    for (RawValue value : values == null ? List.<RawValue>of() : values) {
      if (value.type() != RawTypes.STRING || value.asString().isEmpty()) {
        throw bad("'candidates' are names of fields");
      }
      texts.add(value.asString());
    }
    return texts;
  }

  private static List<List<String>> unique(CollectionInfo info) {
    var unique = new ArrayList<List<String>>();
    for (CollectionInfo.IndexEntry entry : info.indexes()) {
      IndexSpec spec = entry.spec();
      if (spec.isUnique() && !spec.isIdIndex()) {
        unique.add(spec.fields().stream().map(field -> field.path().dotted()).toList());
      }
    }
    return unique;
  }

  private static void readDocuments(CollectionStore collection, Predicate<RawDocument> to) {
    var meter = new WorkMeter();
    for (PartitionStore partition : collection.partitions()) {
      RecordCursor cursor = partition.scan(false);
      StoredDocument next;
      while ((next = cursor.awaitNext(meter)) != null) {
        Allowance.current().step();
        if (!to.test(next.document())) {
          return;
        }
      }
    }
  }

  private void readRequests(String workload, Namespace namespace, Predicate<RecordedRequest> to)
      throws IOException {
    try (var reader =
        new WorkloadReader(
            new BufferedInputStream(Files.newInputStream(recorder.path(workload))))) {
      for (RecordedRequest next = reader.next(); next != null; next = reader.next()) {
        Allowance.current().step();
        boolean isMeant = next.target().namespace().equals(namespace.toString());
        if (isMeant && !to.test(next)) {
          return;
        }
      }
    }
  }
}
