package dev.orrery.server;

import dev.orrery.value.RawDocument;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.RawBsonDocument;
import org.bson.codecs.BsonDocumentCodec;

/**
 * {@code orrery train}: the first requests of a usual client, so that whoever writes down the
 * classes of this process has those that the first requests need. Without a driver, which servers
 * do not have.
 */
final class TrainingRun {
  static final String NAME = "train";

  private static final int OP_MSG = 2013;
  private static final int HEADER_BYTES = 21;
  private static final int REPLY_MILLIS_MAX = 20_000;

  private static final List<String> COMMANDS =
      List.of(
          "{hello: 1, helloOk: true, client: {driver: {name: 'train', version: '1'}, os: {type:"
              + " 'any'}}, $db: 'admin'}",
          "{insert: 'c', documents: [{_id: 1, a: 'one'}, {_id: 2, a: 'two'}], lsid: {id: {$uuid:"
              + " '00000000-0000-4000-8000-000000000001'}}, txnNumber: {$numberLong: '1'}, $db:"
              + " 't'}",
          "{createIndexes: 'c', indexes: [{key: {a: 1}, name: 'a_1'}], $db: 't'}",
          "{find: 'c', filter: {_id: 1}, $db: 't'}",
          "{find: 'c', filter: {a: {$gt: 'one'}}, sort: {a: 1}, projection: {a: 1}, $db: 't'}",
          "{update: 'c', updates: [{q: {_id: 1}, u: {$set: {b: 1}, $inc: {n: 1}}}], $db: 't'}",
          "{findAndModify: 'c', query: {_id: 2}, update: {$set: {b: 2}}, new: true, $db: 't'}",
          "{aggregate: 'c', pipeline: [{$match: {b: {$gte: 1}}}, {$group: {_id: '$a', n: {$sum:"
              + " 1}}}], cursor: {}, $db: 't'}",
          "{count: 'c', query: {}, $db: 't'}",
          "{delete: 'c', deletes: [{q: {_id: 1}, limit: 1}], $db: 't'}",
          "{listCollections: 1, $db: 't'}",
          "{listDatabases: 1, $db: 'admin'}",
          "{dropDatabase: 1, $db: 't'}");

  private final InetSocketAddress address;

  TrainingRun(InetSocketAddress address) {
    this.address = address;
  }

  /** Returns one line that tells what was done. */
  String run() {
    try (var socket = new Socket(address.getAddress(), address.getPort())) {
      socket.setSoTimeout(REPLY_MILLIS_MAX);
      var in = new DataInputStream(socket.getInputStream());
      for (String command : COMMANDS) {
        socket.getOutputStream().write(message(BsonDocument.parse(command)));
        BsonDocument reply = reply(in);
        if (reply.getNumber("ok").intValue() != 1) {
          throw new IOException(command + " was answered " + reply.toJson());
        }
      }
      return "trained with " + COMMANDS.size() + " commands";
    } catch (IOException e) {
      throw new UncheckedIOException("the training failed: " + e.getMessage(), e);
    }
  }

  private static byte[] message(BsonDocument command) {
    ByteBuffer body = new RawBsonDocument(command, new BsonDocumentCodec()).getByteBuffer().asNIO();
    var message =
        ByteBuffer.allocate(HEADER_BYTES + body.remaining()).order(ByteOrder.LITTLE_ENDIAN);
    message.putInt(message.capacity()).putInt(1).putInt(0).putInt(OP_MSG).putInt(0);
    return message.put((byte) 0).put(body).array();
  }

  private static BsonDocument reply(DataInputStream in) throws IOException {
    byte[] reply = new byte[Integer.reverseBytes(in.readInt()) - Integer.BYTES];
    in.readFully(reply);
    int at = HEADER_BYTES - Integer.BYTES;
    return RawDocument.wrap(reply, at, reply.length - at).toBsonDocument();
  }
}
