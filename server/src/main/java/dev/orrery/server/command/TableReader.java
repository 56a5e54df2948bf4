package dev.orrery.server.command;

/** A command that must know which others there are. */
public interface TableReader {
  /** Called once, before the first request. */
  void read(CommandTable table);
}
