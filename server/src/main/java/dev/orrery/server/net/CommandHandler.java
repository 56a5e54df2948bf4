package dev.orrery.server.net;

import dev.orrery.server.command.ClientConnection;
import dev.orrery.server.command.Dispatcher;
import dev.orrery.server.command.DocumentSequence;
import dev.orrery.server.command.NetworkMeters;
import dev.orrery.server.command.Request;
import dev.orrery.storage.value.BsonEncoder;
import dev.orrery.storage.value.RawDocument;
import dev.orrery.wire.DocumentBytes;
import dev.orrery.wire.Message;
import dev.orrery.wire.OpMsg;
import dev.orrery.wire.OpQuery;
import java.net.InetSocketAddress;
import java.util.List;
import org.bson.BsonDocument;

/** Answers requests with commands: messages of the wire become requests, replies become bytes. */
public final class CommandHandler implements RequestHandler {
  private static final Connection.Attribute<ClientConnection> CLIENT =
      new Connection.Attribute<>("client", ClientConnection.class);
  private static final int REPLY_BYTES_EXPECTED = 512;

  private final Dispatcher dispatcher;
  private final NetworkMeters meters;

  public CommandHandler(Dispatcher dispatcher, NetworkMeters meters) {
    this.dispatcher = dispatcher;
    this.meters = meters;
  }

  @Override
  public void opened(Connection connection) {
    meters.opened();
    var client =
        new ClientConnection(
            connection.id(),
            text(connection.remote()),
            text(connection.local()),
            connection::certificateSubject);
    connection.set(CLIENT, client);
    dispatcher.opened(client);
  }

  @Override
  public void closed(Connection connection) {
    meters.closed();
    connection.find(CLIENT).ifPresent(dispatcher::closed);
  }

  @Override
  public void handle(Connection connection, Message message, ReplySink sink) {
    ClientConnection client = connection.find(CLIENT).orElseThrow();
    Request request =
        message instanceof OpQuery query
            ? Request.query(client, query.database(), raw(query.body()))
            : request(client, (OpMsg) message);
    meters.received(request.bytes());
    dispatcher.dispatch(
        request,
        reply -> {
          DocumentBytes bytes = encode(reply);
          meters.sent(bytes.length());
          sink.reply(bytes);
          if (client.isClosing()) {
            connection.close();
          }
        });
  }

  private static Request request(ClientConnection client, OpMsg message) {
    List<DocumentSequence> sequences =
        message.sequences().stream()
            .map(
                sequence ->
                    new DocumentSequence(
                        sequence.name(),
                        sequence.documents().stream().map(CommandHandler::raw).toList()))
            .toList();
    return Request.message(client, raw(message.body()), sequences);
  }

  private static RawDocument raw(DocumentBytes document) {
    return RawDocument.wrap(document.bytes(), document.offset(), document.length());
  }

  private static DocumentBytes encode(BsonDocument reply) {
    var encoder = new BsonEncoder(REPLY_BYTES_EXPECTED);
    encoder.writeDocument(reply);
    return new DocumentBytes(encoder.buffer(), 0, encoder.length());
  }

  private static String text(InetSocketAddress address) {
    String host = address.getAddress().getHostAddress();
    return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + address.getPort();
  }
}
