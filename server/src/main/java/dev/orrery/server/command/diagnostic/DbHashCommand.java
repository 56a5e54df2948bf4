package dev.orrery.server.command.diagnostic;

import dev.orrery.lane.Lane;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.limit.Allowance;
import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.collection.Databases;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.PartitionStore;
import dev.orrery.storage.RecordCursor;
import dev.orrery.storage.StoredDocument;
import dev.orrery.storage.WorkMeter;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.value.KeyEncoder;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import org.bson.BsonArray;
import org.bson.BsonBinary;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.UuidRepresentation;

/**
 * {@code dbHash}: MD5 digests of the documents of collections, so that two copies can be compared.
 * Documents count in the order of their {@code _id}, in capped collections as they came, so that it
 * does not matter where they are stored.
 */
final class DbHashCommand implements Command {
  private static final int PLACE_BYTES = 64;

  private final Databases databases;
  private final LongSupplier nanoClock;

  DbHashCommand(Databases databases, LongSupplier nanoClock) {
    this.databases = databases;
    this.nanoClock = nanoClock;
  }

  @Override
  public Spec spec() {
    return Spec.of("dbHash", Access.READ, Trait.LONG).alias("dbhash");
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    Set<String> wanted = new HashSet<>();
    for (RawValue name : body.array("collections")) {
      if (name.type() != RawTypes.STRING) {
        throw new CommandException(ErrorCode.BAD_VALUE, "collections entries have to be strings");
      }
      wanted.add(name.asString());
    }
    body.reject("$_internalReadAtClusterTime");
    body.finish();
    long start = nanoClock.getAsLong();
    var sorted = new TreeMap<String, CollectionStore>();
    for (CollectionStore collection : databases.in(context.database())) {
      CollectionInfo info = collection.info();
      String name = info.namespace().collection();
      boolean isTemporary = info.options().containsKey(CollectionInfo.TEMPORARY);
      if (!info.isView() && !isTemporary && (wanted.isEmpty() || wanted.contains(name))) {
        sorted.put(name, collection);
      }
    }
    var digests = new BsonDocument();
    var capped = new BsonArray();
    var uuids = new BsonDocument();
    MessageDigest all = md5();
    sorted.forEach(
        (name, collection) -> {
          CollectionInfo info = collection.info();
          boolean isCapped = info.options().getBoolean("capped", BsonBoolean.FALSE).getValue();
          String digest = hash(collection, isCapped);
          digests.append(name, new BsonString(digest));
          uuids.append(name, new BsonBinary(info.uuid(), UuidRepresentation.STANDARD));
          if (isCapped) {
            capped.add(new BsonString(name));
          }
          all.update(digest.getBytes(StandardCharsets.US_ASCII));
        });
    long millis = (nanoClock.getAsLong() - start) / 1_000_000;
    return new BsonDocument("host", new BsonString(context.connection().localAddress()))
        .append("collections", digests)
        .append("capped", capped)
        .append("uuids", uuids)
        .append("md5", new BsonString(HexFormat.of().formatHex(all.digest())))
        .append("timeMillis", new BsonInt32(Math.toIntExact(millis)));
  }

  /** Where a document is, and the bytes that order it. */
  private record Place(byte[] key, PartitionStore partition, long recordId)
      implements Comparable<Place> {
    @Override
    public int compareTo(Place other) {
      return Arrays.compareUnsigned(key, other.key);
    }
  }

  private static String hash(CollectionStore collection, boolean asTheyCame) {
    var digest = md5();
    var meter = new WorkMeter();
    for (Place place : places(collection, asTheyCame)) {
      Allowance.current().step();
      StoredDocument stored = Lane.await(place.partition.read(place.recordId, meter));
      if (stored != null) {
        digest.update(stored.document().toByteArray());
      }
    }
    return HexFormat.of().formatHex(digest.digest());
  }

  private static List<Place> places(CollectionStore collection, boolean asTheyCame) {
    var places = new ArrayList<Place>();
    var meter = new WorkMeter();
    for (PartitionStore partition : collection.partitions()) {
      RecordCursor cursor = partition.scan(false);
      StoredDocument next;
      while ((next = cursor.awaitNext(meter)) != null) {
        RawValue id = next.document().field("_id");
        byte[] key =
            asTheyCame || id == null
                ? new byte[0]
                : new KeyEncoder().append(id, false).toByteArray();
        Allowance.current().hold(key.length + PLACE_BYTES);
        places.add(new Place(key, partition, next.recordId()));
      }
    }
    places.sort(Allowance.current().watch(Place::compareTo));
    return places;
  }

  private static MessageDigest md5() {
    try {
      return MessageDigest.getInstance("MD5");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every Java platform has it
    }
  }
}
