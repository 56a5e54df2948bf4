package dev.orrery.testkit.spring;

import java.time.Duration;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.utility.DockerImageName;

/**
 * The image of Orrery for Testcontainers: without a console, with faults on demand, and with a
 * store that goes with the container.
 */
public final class OrreryContainer extends GenericContainer<OrreryContainer> {
  private static final int PORT = 27017;
  private static final Duration START_MAX = Duration.ofMinutes(1);

  public OrreryContainer(String image) {
    this(DockerImageName.parse(image));
  }

  public OrreryContainer(DockerImageName image) {
    super(image);
    withExposedPorts(PORT);
    withEnv("ORRERY_CONSOLE_PORT", "off");
    withEnv("ORRERY_TEST_COMMANDS", "true");
    waitingFor(Wait.forLogMessage("Orrery .* is ready: .*", 1).withStartupTimeout(START_MAX));
  }

  /** {@code cosmos} for the refusals of Cosmos DB, {@code extended} for none. */
  public OrreryContainer withProfile(String profile) {
    return withEnv("ORRERY_PROFILE", profile);
  }

  /** What a client on this machine connects to; it must not follow the names of the container. */
  public String getConnectionString() {
    return getConnectionString("");
  }

  /** The same with a database. */
  public String getConnectionString(String database) {
    return "mongodb://%s:%d/%s?directConnection=true"
        .formatted(getHost(), getMappedPort(PORT), database);
  }
}
