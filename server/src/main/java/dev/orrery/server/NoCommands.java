package dev.orrery.server;

import dev.orrery.server.net.RequestHandler;
import dev.orrery.wire.DocumentBytes;
import org.bson.BsonBinaryWriter;
import org.bson.io.BasicOutputBuffer;

/** A backend that knows no command, and says so. */
final class NoCommands implements MongoServer.Backend {
  @Override
  public RequestHandler requests() {
    return (connection, request, sink) -> sink.reply(DocumentBytes.of(commandNotFound()));
  }

  @Override
  public void close() {}

  private static byte[] commandNotFound() {
    var bytes = new BasicOutputBuffer();
    try (var writer = new BsonBinaryWriter(bytes)) {
      writer.writeStartDocument();
      writer.writeDouble("ok", 0);
      writer.writeString("errmsg", "no such command");
      writer.writeInt32("code", 59);
      writer.writeString("codeName", "CommandNotFound");
      writer.writeEndDocument();
      return bytes.toByteArray();
    }
  }
}
