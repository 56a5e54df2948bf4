package shop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.testkit.spring.OrreryContainer;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.service.connection.ConnectionDetailsFactory;
import org.springframework.core.io.support.SpringFactoriesLoader;

/** The container as far as it can be looked at where there is no Docker to run it. */
class ContainerTest {
  /** Factories for what is not on this class path. */
  private static final SpringFactoriesLoader.FailureHandler IGNORING =
      SpringFactoriesLoader.FailureHandler.handleMessage((text, failure) -> {});

  @Test
  void itIsConfiguredByTheVariablesThatTheServerKnows() {
    try (var container = new OrreryContainer("orrery:latest").withProfile("cosmos")) {
      assertThat(container.getExposedPorts()).containsExactly(27017);
      assertThat(container.getEnvMap())
          .isEqualTo(
              Map.of(
                  "ORRERY_CONSOLE_PORT", "off",
                  "ORRERY_TEST_COMMANDS", "true",
                  "ORRERY_PROFILE", "cosmos"));
    }
  }

  @Test
  void springBootFindsBothFactories() {
    var names =
        SpringFactoriesLoader.forDefaultResourceLocation()
            .load(ConnectionDetailsFactory.class, IGNORING)
            .stream()
            .map(each -> each.getClass().getSimpleName())
            .toList();
    assertThat(names)
        .contains("OrreryConnectionDetailsFactory", "OrreryContainerConnectionDetailsFactory");
  }
}
