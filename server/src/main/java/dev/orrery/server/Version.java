package dev.orrery.server;

import java.util.Objects;

/** Which Orrery this is. */
public final class Version {
  private Version() {}

  /** The version that the build wrote into the jar; {@code development} without one. */
  public static String current() {
    String version = Version.class.getPackage().getImplementationVersion();
    return Objects.requireNonNullElse(version, "development");
  }
}
