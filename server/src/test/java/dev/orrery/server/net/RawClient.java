package dev.orrery.server.net;

import dev.orrery.wire.Compressor;
import dev.orrery.wire.DocumentBytes;
import dev.orrery.wire.Message;
import dev.orrery.wire.MessageEncoder;
import dev.orrery.wire.MessageParser;
import dev.orrery.wire.OpMsg;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.RawBsonDocument;
import org.bson.codecs.BsonDocumentCodec;

/** A client made of one blocking socket, for what drivers never send. */
final class RawClient implements AutoCloseable {
  private static final int TIMEOUT_MILLIS = 20_000;

  private final Socket socket = new Socket();
  private final DataInputStream in;

  RawClient(InetSocketAddress address) throws IOException {
    socket.connect(address, TIMEOUT_MILLIS);
    socket.setSoTimeout(TIMEOUT_MILLIS);
    in = new DataInputStream(socket.getInputStream());
  }

  static byte[] command(int requestId, int flags, String json) {
    var header = new Message.Header(requestId, 0, Compressor.NOOP);
    return bytes(new OpMsg(header, flags, document(json), List.of()));
  }

  static byte[] bytes(OpMsg message) {
    ByteBuf buffer = new MessageEncoder(UnpooledByteBufAllocator.DEFAULT).encode(message);
    byte[] bytes = new byte[buffer.readableBytes()];
    buffer.readBytes(bytes).release();
    return bytes;
  }

  static DocumentBytes document(String json) {
    ByteBuffer buffer =
        new RawBsonDocument(BsonDocument.parse(json), new BsonDocumentCodec())
            .getByteBuffer()
            .asNIO();
    byte[] bytes = new byte[buffer.remaining()];
    buffer.get(bytes);
    return DocumentBytes.of(bytes);
  }

  static BsonDocument bson(DocumentBytes document) {
    return new RawBsonDocument(document.bytes(), document.offset(), document.length());
  }

  void send(byte[] bytes) throws IOException {
    socket.getOutputStream().write(bytes);
  }

  /** Ends what the server can read; what it sends can still be received. */
  void sendNothingMore() throws IOException {
    socket.shutdownOutput();
  }

  OpMsg receive() throws IOException {
    int length = Integer.reverseBytes(in.readInt());
    byte[] frame = new byte[length];
    ByteBuffer.wrap(frame).putInt(Integer.reverseBytes(length));
    in.readFully(frame, 4, length - 4);
    return (OpMsg) new MessageParser().parse(frame);
  }

  BsonDocument run(int requestId, String json) throws IOException {
    send(command(requestId, 0, json));
    return bson(receive().body());
  }

  /** True when the server has closed the connection and nothing more came before. */
  boolean isClosedByServer() throws IOException {
    try {
      return in.read() < 0;
    } catch (java.net.SocketException e) {
      return true; // reset: the server had bytes that it will not read
    }
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
