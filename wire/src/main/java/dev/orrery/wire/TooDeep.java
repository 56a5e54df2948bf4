package dev.orrery.wire;

/**
 * A request whose documents are nested too deeply to be read. Everything else about it is in order,
 * so it is answered with an error, and the connection goes on.
 *
 * @param request what came, with an empty document in the place of its own
 * @param path the names that lead to the first document that is too deep, dotted
 */
public record TooDeep(Message request, String path) implements Message {
  @Override
  public Header header() {
    return request.header();
  }

  @Override
  public DocumentBytes body() {
    return request.body();
  }

  @Override
  public boolean expectsReply() {
    return request.expectsReply();
  }
}
