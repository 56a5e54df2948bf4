package dev.orrery.server.command;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orrery.language.error.CommandException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NamesTest {
  @ParameterizedTest
  @ValueSource(strings = {"", "a/b", "a\\b", "a.b", "a b", "a\"b", "a\0b"})
  void refusesDatabasesWithForbiddenCharacters(String name) {
    assertThatThrownBy(() -> Names.requireDatabase(name))
        .isInstanceOf(CommandException.class)
        .hasMessage("Invalid database name: '" + name + "'");
  }

  @ParameterizedTest
  @ValueSource(strings = {"a", "a-b", "a$b", "größe", "日本"})
  void allowsOtherDatabases(String name) {
    assertThatCode(() -> Names.requireDatabase(name)).doesNotThrowAnyException();
  }

  /** The limit is in bytes of UTF-8, the dot between the names included. */
  @Test
  void measuresNamespacesInBytes() {
    requireCreatable("c".repeat(252));
    requireTooLong("c".repeat(253));
    requireCreatable("日".repeat(84));
    requireTooLong("日".repeat(84) + "c");
    requireCreatable("\uD83D\uDE00".repeat(63)); // four bytes, two chars
    requireTooLong("\uD83D\uDE00".repeat(63) + "c");
  }

  private static void requireCreatable(String collection) {
    assertThatCode(() -> Names.requireCreatable("db", collection)).doesNotThrowAnyException();
  }

  private static void requireTooLong(String collection) {
    assertThatThrownBy(() -> Names.requireCreatable("db", collection))
        .isInstanceOf(CommandException.class)
        .hasMessage(
            "Fully qualified namespace is too long. Namespace: db." + collection + " Max: 255");
  }
}
