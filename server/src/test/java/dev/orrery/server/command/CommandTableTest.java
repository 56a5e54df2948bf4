package dev.orrery.server.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orrery.server.command.diagnostic.PingCommand;
import dev.orrery.server.command.diagnostic.StandardCommands;
import java.util.List;
import org.junit.jupiter.api.Test;

class CommandTableTest {
  @Test
  void twoCommandsUnderOneNameAreRefused() {
    assertThatThrownBy(() -> new CommandTable(List.of(new PingCommand(), new PingCommand())))
        .hasMessage("two commands are called ping");
  }

  @Test
  void commandsAreFoundByNameAndAliasWithTheirCase() {
    var table = StandardCommands.table(new CommandFixture().services(), List.of());
    assertThat(table.find("ismaster")).isSameAs(table.find("isMaster")).isNotNull();
    assertThat(table.find("PING")).isNull();
    assertThat(table.commands())
        .extracting(command -> command.spec().name())
        .isSorted()
        .doesNotHaveDuplicates();
  }
}
