package dev.orrery.server.net;

import dev.orrery.server.command.AccessControl;
import dev.orrery.server.command.ClientConnection;
import dev.orrery.server.command.CommandFailures;
import dev.orrery.server.command.Dispatcher;
import dev.orrery.server.command.NetworkMeters;
import dev.orrery.server.command.ReplyTarget;
import dev.orrery.server.command.Request;
import dev.orrery.server.command.RequestSequence;
import dev.orrery.value.BsonEncoder;
import dev.orrery.value.BsonLength;
import dev.orrery.value.RawDocument;
import dev.orrery.wire.DocumentBytes;
import dev.orrery.wire.Message;
import dev.orrery.wire.OpMsg;
import dev.orrery.wire.OpQuery;
import dev.orrery.wire.TooDeep;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/** Answers requests with commands: messages of the wire become requests, replies become bytes. */
public final class CommandHandler implements RequestHandler {
  private static final int REPLY_BYTES_EXPECTED = 512;
  private static final byte[] NO_FIELDS = {};

  private final Dispatcher dispatcher;
  private final NetworkMeters meters;
  private final AccessControl access;

  /** For a server that lets everybody in. */
  public CommandHandler(Dispatcher dispatcher, NetworkMeters meters) {
    this(dispatcher, meters, AccessControl.OPEN);
  }

  public CommandHandler(Dispatcher dispatcher, NetworkMeters meters, AccessControl access) {
    this.dispatcher = dispatcher;
    this.meters = meters;
    this.access = access;
  }

  @Override
  public void opened(Connection connection) {
    meters.opened();
    var client =
        new ClientConnection(
                connection.id(),
                text(connection.remote()),
                text(connection.local()),
                connection::certificateSubject)
            .livingOn(connection.loop(), connection::close);
    connection.attach(client);
    dispatcher.opened(client);
  }

  @Override
  public void closed(Connection connection) {
    meters.closed();
    dispatcher.closed((ClientConnection) connection.attachment());
  }

  @Override
  public void stopping() {
    dispatcher.stopping();
  }

  @Override
  public boolean knows(Connection connection) {
    return access.allowsSessions((ClientConnection) connection.attachment());
  }

  @Override
  public void handle(Connection connection, Message message, ReplySink sink) {
    if (message instanceof TooDeep deep) {
      sink.reply(encode(CommandFailures.answerToTooDeep(deep.path()), NO_FIELDS));
      return;
    }
    var client = (ClientConnection) connection.attachment();
    Request request =
        message instanceof OpQuery query
            ? Request.query(client, query.database(), raw(query.body()))
            : request(client, (OpMsg) message);
    meters.received(request.bytes());
    dispatcher.dispatch(request, new Reply(connection, message, sink));
  }

  /** Where the reply to one request goes. */
  private final class Reply implements ReplyTarget {
    private final Connection connection;
    private final Message request;
    private final ReplySink sink;

    Reply(Connection connection, Message request, ReplySink sink) {
      this.connection = connection;
      this.request = request;
      this.sink = sink;
    }

    @Override
    public void accept(BsonDocument reply) {
      accept(reply, NO_FIELDS);
    }

    @Override
    public void accept(BsonDocument reply, byte[] lastFields) {
      DocumentBytes bytes = encode(reply, lastFields);
      meters.sent(bytes.length());
      OpMsg next = HelloStream.next(request, reply);
      if (next == null) {
        sink.reply(bytes);
      } else {
        sink.replyAndGoOn(bytes, next);
      }
      closeIfAsked();
    }

    @Override
    public void acceptEncoded(RawDocument reply) {
      meters.sent(reply.length());
      sink.replyShared(new DocumentBytes(reply.bytes(), reply.offset(), reply.length()));
      closeIfAsked();
    }

    private void closeIfAsked() {
      if (((ClientConnection) connection.attachment()).isClosing()) {
        connection.close();
      }
    }
  }

  private static Request request(ClientConnection client, OpMsg message) {
    if (message.sequences().isEmpty()) {
      return Request.message(client, raw(message.body()), List.of());
    }
    var sequences = new ArrayList<RequestSequence>(message.sequences().size());
    for (dev.orrery.wire.DocumentSequence sequence : message.sequences()) {
      var documents = new ArrayList<RawDocument>(sequence.documents().size());
      for (DocumentBytes document : sequence.documents()) {
        documents.add(raw(document));
      }
      sequences.add(new RequestSequence(sequence.name(), documents));
    }
    return Request.message(client, raw(message.body()), sequences);
  }

  private static RawDocument raw(DocumentBytes document) {
    return RawDocument.wrap(document.bytes(), document.offset(), document.length());
  }

  private static DocumentBytes encode(BsonDocument reply, byte[] lastFields) {
    var encoder = new BsonEncoder(expectedBytes(reply, lastFields));
    int start = encoder.startDocument();
    for (Map.Entry<String, BsonValue> field : reply.entrySet()) {
      encoder.writeElement(field.getKey(), field.getValue());
    }
    encoder.writeElements(lastFields);
    encoder.endDocument(start);
    return new DocumentBytes(encoder.buffer(), 0, encoder.length());
  }

  /** That of a batch is known: the array need not grow, so that there are never two of it. */
  private static int expectedBytes(BsonDocument reply, byte[] lastFields) {
    if (!reply.containsKey("cursor")) {
      return REPLY_BYTES_EXPECTED;
    }
    long bytes = BsonLength.of(reply) + lastFields.length;
    return (int) Math.min(Integer.MAX_VALUE / 2, bytes);
  }

  private static String text(InetSocketAddress address) {
    String host = address.getAddress().getHostAddress();
    return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + address.getPort();
  }
}
