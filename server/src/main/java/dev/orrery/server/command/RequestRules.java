package dev.orrery.server.command;

/** What a server refuses although it could do it. */
@FunctionalInterface
public interface RequestRules {
  /** Refuses nothing. */
  RequestRules NONE = (request, database, session) -> {};

  /** Throws for a request that is refused; called before the command reads its fields. */
  void require(Request request, String database, SessionFields session);

  /** Whether nobody is told that a write concern was not met. */
  default boolean ignoresWriteConcern() {
    return false;
  }
}
