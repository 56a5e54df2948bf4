package dev.orrery.server.command.advice;

import dev.orrery.server.command.Command;
import dev.orrery.server.command.collection.Databases;
import dev.orrery.server.workload.WorkloadRecorder;
import java.util.List;

/** The commands about workloads and the choice of a partition key. */
public final class AdviceCommands {
  private AdviceCommands() {}

  public static List<Command> list(Databases databases, WorkloadRecorder recorder) {
    return List.of( // sorted by command name
        new AdvisePartitionKeyCommand(databases, recorder), new RecordWorkloadCommand(recorder));
  }
}
