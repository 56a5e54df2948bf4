package dev.orrery.server.command;

import dev.orrery.language.limit.Allowance;

/** Somebody whose request is not read yet, and so cannot be killed. */
record Newcomer(ClientConnection connection) implements Allowance.Interruption {
  @Override
  public void check() {}

  @Override
  public Object owner() {
    return connection.owner();
  }
}
