package dev.orrery.server.command.diagnostic;

import dev.orrery.lane.Lane;
import dev.orrery.language.expression.WatchedOrder;
import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.RawNumbers;
import dev.orrery.server.command.collection.Databases;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.PartitionStore;
import dev.orrery.storage.RecordCursor;
import dev.orrery.storage.StoredDocument;
import dev.orrery.storage.WorkMeter;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonNull;
import org.bson.BsonString;

/** {@code filemd5}: the MD5 digest of a file in GridFS, over its chunks in order. */
final class FileMd5Command implements Command {
  private final Databases databases;

  FileMd5Command(Databases databases) {
    this.databases = databases;
  }

  @Override
  public Spec spec() {
    return Spec.of("filemd5", Access.READ, Trait.LONG);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    RawValue given = body.value("filemd5");
    String root = body.string("root");
    body.ignore("partialOk", "md5state");
    body.finish();
    RawValue file = given == null ? RawValue.of(BsonNull.VALUE) : given;
    String chunks = (root == null ? "fs" : root) + ".chunks";
    CollectionStore found = databases.find(context.database(), chunks);
    List<Chunk> parts = found == null ? List.of() : chunks(found, file);
    MessageDigest digest = md5();
    for (Chunk part : parts) {
      StoredDocument stored = Lane.await(part.partition.read(part.recordId, new WorkMeter()));
      RawValue data = stored == null ? null : stored.document().field("data");
      if (data != null && data.type() == RawTypes.BINARY) {
        digest.update(data.toBsonValue().asBinary().getData());
      }
    }
    return new BsonDocument("numChunks", new BsonInt32(parts.size()))
        .append("md5", new BsonString(HexFormat.of().formatHex(digest.digest())));
  }

  /** Where a part of the file is, without its bytes. */
  private record Chunk(PartitionStore partition, long recordId, long number) {}

  private static List<Chunk> chunks(CollectionStore collection, RawValue file) {
    var chunks = new ArrayList<Chunk>();
    for (PartitionStore partition : collection.partitions()) {
      RecordCursor cursor = partition.scan(false);
      var meter = new WorkMeter();
      StoredDocument next;
      while ((next = cursor.awaitNext(meter)) != null) {
        RawValue owner = next.document().field("files_id");
        RawValue number = next.document().field("n");
        boolean isPart =
            owner != null
                && number != null
                && number.isNumber()
                && WatchedOrder.CANONICAL.areEqual(owner, file);
        if (isPart) {
          chunks.add(new Chunk(partition, next.recordId(), RawNumbers.toLong(number)));
        }
      }
    }
    chunks.sort(Comparator.comparingLong(Chunk::number));
    return chunks;
  }

  private static MessageDigest md5() {
    try {
      return MessageDigest.getInstance("MD5");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every Java platform has it
    }
  }
}
