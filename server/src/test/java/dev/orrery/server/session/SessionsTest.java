package dev.orrery.server.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orrery.language.error.CommandException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class SessionsTest {
  /** A clock that the test moves. */
  private static final class MovingClock extends Clock {
    private Instant now = Instant.parse("2026-01-01T00:00:00Z");

    void advance(Duration time) {
      now = now.plus(time);
    }

    @Override
    public Instant instant() {
      return now;
    }

    @Override
    public ZoneId getZone() {
      return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
      return this;
    }
  }

  private final MovingClock clock = new MovingClock();

  private static SessionId id(long number) {
    return new SessionId(new UUID(0, number), "");
  }

  @Test
  void aSessionLivesAsLongAsItIsUsed() {
    var sessions = new Sessions(clock);
    var ended = new ArrayList<SessionId>();
    sessions.onEnd(session -> ended.add(session.id()));
    sessions.use(id(1));
    sessions.use(id(2));
    clock.advance(Duration.ofMinutes(20));
    sessions.use(id(2));
    clock.advance(Duration.ofMinutes(11));
    sessions.use(id(3));
    assertThat(ended).containsExactly(id(1));
    assertThat(sessions.count()).isEqualTo(2);
  }

  @Test
  void endingTwiceIsToldOnce() {
    var sessions = new Sessions(clock);
    var ended = new ArrayList<SessionId>();
    sessions.onEnd(session -> ended.add(session.id()));
    sessions.use(id(1));
    assertThat(sessions.end(id(1))).isTrue();
    assertThat(sessions.end(id(1))).isFalse();
    assertThat(ended).hasSize(1);
  }

  @Test
  void thereIsAMostNumberOfSessions() {
    var sessions = new Sessions(clock, 2);
    sessions.use(id(1));
    sessions.use(id(2));
    sessions.use(id(1));
    assertThatThrownBy(() -> sessions.use(id(3)))
        .isInstanceOf(CommandException.class)
        .hasMessageContaining("the number of active sessions is too high");
    sessions.end(id(1));
    sessions.use(id(3));
    assertThat(sessions.count()).isEqualTo(2);
  }

  @Test
  void clusterTimeNeverRunsBackwards() {
    var time = new ClusterClock(clock);
    long first = time.tick().getValue();
    assertThat(time.now().getValue()).isEqualTo(first);
    clock.advance(Duration.ofSeconds(-5));
    assertThat(time.tick().getValue()).isEqualTo(first + 1);
    clock.advance(Duration.ofSeconds(7));
    assertThat(time.tick().getTime()).isEqualTo((int) clock.instant().getEpochSecond());
  }
}
