package dev.orrery.server;

import dev.orrery.value.RawDocument;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.bson.BsonDocument;
import org.bson.BsonString;

/** A connection without a driver: a command goes out when the test says so, and nothing else. */
final class RawConnection implements AutoCloseable {
  private static final int HEADER_BYTES = 16 + 4 + 1;
  private static final int OP_MSG = 2013;

  private final Socket socket;

  /**
   * @param from the address of this end, such as 127.0.0.2
   */
  RawConnection(int port, String from) throws IOException {
    socket = new Socket(InetAddress.getByName("127.0.0.1"), port, InetAddress.getByName(from), 0);
    socket.setSoTimeout(60_000);
  }

  /** A message as it came. */
  record Received(int requestId, int responseTo, int flags, BsonDocument body) {}

  void send(BsonDocument command) throws IOException {
    send(command, 0);
  }

  void send(BsonDocument command, int flags) throws IOException {
    BsonDocument onTest =
        command.containsKey("$db")
            ? command
            : command.clone().append("$db", new BsonString("test"));
    sendBody(RawDocument.of(onTest).toByteArray(), flags);
  }

  void sendBody(byte[] body) throws IOException {
    sendBody(body, 0);
  }

  private void sendBody(byte[] body, int flags) throws IOException {
    int length = HEADER_BYTES + body.length;
    byte[] message =
        ByteBuffer.allocate(length)
            .order(ByteOrder.LITTLE_ENDIAN)
            .putInt(length)
            .putInt(1)
            .putInt(0)
            .putInt(OP_MSG)
            .putInt(flags)
            .put((byte) 0)
            .put(body)
            .array();
    socket.getOutputStream().write(message);
  }

  BsonDocument receive() throws IOException {
    return receiveMessage().body;
  }

  Received receiveMessage() throws IOException {
    var in = new DataInputStream(socket.getInputStream());
    int length = Integer.reverseBytes(in.readInt());
    byte[] rest = new byte[length - Integer.BYTES];
    in.readFully(rest);
    int start = HEADER_BYTES - Integer.BYTES;
    ByteBuffer head = ByteBuffer.wrap(rest).order(ByteOrder.LITTLE_ENDIAN);
    return new Received(
        head.getInt(0),
        head.getInt(4),
        head.getInt(12),
        RawDocument.wrap(rest, start, rest.length - start).toBsonDocument());
  }

  BsonDocument ask(BsonDocument command) throws IOException {
    send(command);
    return receive();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
