package dev.orrery.benchmarks.client;

import java.io.Closeable;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.bson.BsonDocument;

/** A blocking connection for everything that is not measured: loading, indexes, statistics. */
public final class CommandConnection implements Closeable {
  private final Socket socket;
  private final DataInputStream in;
  private int requestId;

  public CommandConnection(InetSocketAddress server) throws IOException {
    socket = new Socket(server.getAddress(), server.getPort());
    socket.setTcpNoDelay(true);
    in = new DataInputStream(socket.getInputStream());
  }

  /** Runs a command and returns its reply; one that is not ok is an exception. */
  public BsonDocument run(String database, BsonDocument command) throws IOException {
    BsonDocument reply = Messages.decode(exchange(Template.command(database, command)));
    boolean isGood = reply.getNumber("ok").intValue() == 1 && !reply.containsKey("writeErrors");
    if (!isGood) {
      throw new IOException(command.getFirstKey() + " failed: " + reply.toJson());
    }
    return reply;
  }

  /** The number of bytes of the reply to a command. */
  public int replyBytes(String database, BsonDocument command) throws IOException {
    return exchange(Template.command(database, command)).limit();
  }

  private ByteBuffer exchange(Template template) throws IOException {
    var message = ByteBuffer.allocate(template.length()).order(ByteOrder.LITTLE_ENDIAN);
    template.copyTo(message);
    message.putInt(4, ++requestId);
    socket.getOutputStream().write(message.array());
    int length = Integer.reverseBytes(in.readInt());
    var reply = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN).putInt(0, length);
    in.readFully(reply.array(), Integer.BYTES, length - Integer.BYTES);
    return reply;
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
