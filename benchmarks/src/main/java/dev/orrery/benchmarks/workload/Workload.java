package dev.orrery.benchmarks.workload;

/** Something that servers are asked to do, which starts them, loads data and measures. */
public interface Workload {
  /** As it is called on the command line and in the report. */
  String name();

  void run(Bench bench) throws Exception;
}
