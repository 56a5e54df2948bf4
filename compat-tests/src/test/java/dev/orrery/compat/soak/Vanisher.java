package dev.orrery.compat.soak;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.bson.BsonDocument;
import org.bson.RawBsonDocument;
import org.bson.codecs.BsonDocumentCodec;

/** Clients that leave in the middle: of a request, of an answer, or without a word. */
final class Vanisher implements Actor {
  private static final int OP_MSG = 2013;
  private static final int HEADER_BYTES = 21;
  private static final int UNFINISHED_BYTES = 4 << 20;
  private static final int CROWD = 20;

  private final SoakRun run;

  Vanisher(SoakRun run) {
    this.run = run;
  }

  @Override
  public int pauseMillis() {
    return 500;
  }

  @Override
  public void act(Random random) throws IOException {
    int port = run.awaitServer().port();
    switch (random.nextInt(3)) {
      case 0 -> leaveBeforeTheEnd(port, random);
      case 1 -> leaveBeforeTheAnswer(port);
      default -> comeAndGo(port);
    }
  }

  private static Socket connect(int port) throws IOException {
    return new Socket(InetAddress.getLoopbackAddress(), port);
  }

  private static void leaveBeforeTheEnd(int port, Random random) throws IOException {
    try (Socket socket = connect(port)) {
      var header = ByteBuffer.allocate(HEADER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
      header.putInt(UNFINISHED_BYTES).putInt(1).putInt(0).putInt(OP_MSG).putInt(0);
      OutputStream out = socket.getOutputStream();
      out.write(header.array());
      out.write(new byte[random.nextInt(UNFINISHED_BYTES / 2)]);
    }
  }

  private static void leaveBeforeTheAnswer(int port) throws IOException {
    try (Socket socket = connect(port)) {
      var command =
          BsonDocument.parse(
              "{aggregate: 'docs', pipeline: [{$group: {_id: '$x', n: {$sum: 1}}}, {$sort: {n: 1}}],"
                  + " cursor: {}, $db: 'soak'}");
      ByteBuffer body =
          new RawBsonDocument(command, new BsonDocumentCodec()).getByteBuffer().asNIO();
      var message =
          ByteBuffer.allocate(HEADER_BYTES + body.remaining()).order(ByteOrder.LITTLE_ENDIAN);
      message.putInt(message.capacity()).putInt(1).putInt(0).putInt(OP_MSG).putInt(0);
      message.put((byte) 0).put(body);
      socket.getOutputStream().write(message.array());
    }
  }

  private static void comeAndGo(int port) throws IOException {
    List<Socket> crowd = new ArrayList<>();
    try {
      for (int i = 0; i < CROWD; i++) {
        crowd.add(connect(port));
      }
    } finally {
      for (Socket socket : crowd) {
        socket.close();
      }
    }
  }
}
