package dev.orrery.wire;

/**
 * The old way to send a command: a query on the collection {@code $cmd} of a database. Clients
 * still open a conversation with it, before they know what the server understands.
 */
public record OpQuery(
    Header header, int flags, String namespace, int numberToReturn, DocumentBytes body)
    implements Message {
  private static final String COMMAND_COLLECTION = ".$cmd";

  @Override
  public boolean expectsReply() {
    return true;
  }

  public boolean isCommand() {
    return namespace.endsWith(COMMAND_COLLECTION);
  }

  /** The part of the namespace before its first dot. */
  public String database() {
    int dot = namespace.indexOf('.');
    return dot < 0 ? namespace : namespace.substring(0, dot);
  }
}
