package dev.orrery.compat;

import dev.orrery.value.RawDocument;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.bson.BsonDocument;
import org.bson.RawBsonDocument;
import org.bson.codecs.BsonDocumentCodec;

/**
 * The smallest client: one connection, one OP_MSG at a time, the command sent and the reply
 * returned as they are. Drivers add and hide too much for comparing answers field by field.
 */
public final class WireClient implements AutoCloseable {
  private static final int OP_MSG = 2013;
  private static final int HEADER_BYTES = 21;
  private static final int REPLY_MILLIS_MAX = 20_000;

  private final Socket socket;
  private final DataInputStream in;
  private int requestId;

  public WireClient(int port) throws IOException {
    socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(REPLY_MILLIS_MAX);
    in = new DataInputStream(socket.getInputStream());
  }

  /** For how long it waits for an answer from now on. */
  public void waitMillis(int millis) throws IOException {
    socket.setSoTimeout(millis);
  }

  public BsonDocument command(BsonDocument command) throws IOException {
    // By the bson library, which nests deeper than the server allows.
    ByteBuffer body = new RawBsonDocument(command, new BsonDocumentCodec()).getByteBuffer().asNIO();
    var message =
        ByteBuffer.allocate(HEADER_BYTES + body.remaining()).order(ByteOrder.LITTLE_ENDIAN);
    message.putInt(message.capacity()).putInt(++requestId).putInt(0).putInt(OP_MSG).putInt(0);
    message.put((byte) 0).put(body);
    socket.getOutputStream().write(message.array());
    int length = Integer.reverseBytes(in.readInt());
    byte[] reply = new byte[length - Integer.BYTES];
    in.readFully(reply);
    int documentAt = HEADER_BYTES - Integer.BYTES;
    return RawDocument.wrap(reply, documentAt, reply.length - documentAt).toBsonDocument();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
