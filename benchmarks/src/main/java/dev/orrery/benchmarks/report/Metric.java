package dev.orrery.benchmarks.report;

/** Something that is measured of a server under a workload. */
public enum Metric {
  REQUESTS_PER_SECOND("requests/s"),
  SERVER_CPU_MICROS("server CPU, us/request"),
  CLIENT_CPU_MICROS("client CPU, us/request"),
  P50_MICROS("p50, us"),
  P99_MICROS("p99, us"),
  MEGABYTES_PER_CPU_SECOND("MB of documents per CPU second"),
  EVENTS_PER_CPU_SECOND("events per CPU second"),
  CHANGE_SECONDS("seconds per split or merge"),
  READY_SECONDS("seconds to the ready line"),
  PING_SECONDS("seconds to the first ping"),
  IDLE_MEGABYTES("resident MB, idle"),
  MEMORY_PER_MILLION("MB of memory per million documents"),
  DISK_PER_MILLION("MB on disk per million documents"),
  DISK_TO_LIVE("bytes on disk per byte of documents");

  private final String label;

  Metric(String label) {
    this.label = label;
  }

  public String label() {
    return label;
  }
}
