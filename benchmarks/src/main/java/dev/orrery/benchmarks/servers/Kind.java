package dev.orrery.benchmarks.servers;

/** The servers that the harness can start, and any other. */
public enum Kind {
  ORRERY("orrery"),
  BEFORE("orrery-before"),
  MEMORY("mongo-java-server"),
  H2("mongo-java-server-h2"),
  CEILING("ceiling"),
  OTHER("other");

  private final String label;

  Kind(String label) {
    this.label = label;
  }

  public String label() {
    return label;
  }
}
