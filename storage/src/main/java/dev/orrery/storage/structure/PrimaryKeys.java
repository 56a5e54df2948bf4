package dev.orrery.storage.structure;

import dev.orrery.storage.StorageException;
import dev.orrery.storage.partition.EffectivePartitionKey;
import dev.orrery.value.BsonEncoder;
import dev.orrery.value.KeyDecoder;
import dev.orrery.value.KeyEncoder;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import dev.orrery.value.StringOrder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Objects;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/** Computes the primary keys of one collection's documents. */
public final class PrimaryKeys {
  private static final byte[] ID = "_id".getBytes(StandardCharsets.UTF_8);

  private static final byte[] NOTHING = new byte[0];
  private static final int EPK_CHARACTERS = 32;
  private static final int KEY_BYTES_MAX = 1024;
  private static final int CUT_KEY_BYTES = 256;
  private static final int DIGEST_BYTES = 32;

  /** A missing partition key is a key of its own, below null. */
  private static final RawValue MISSING = new RawValue(RawTypes.UNDEFINED, new byte[0], 0);

  private final String path;
  private final byte[][] partitionKey;
  private final StringOrder strings;

  /**
   * @param path the partition key's dotted path, or null
   * @param strings the collection's default collation, which also tells when two ids are the same
   */
  public PrimaryKeys(String path, StringOrder strings) {
    this.path = path;
    this.partitionKey = path == null ? null : split(path);
    this.strings = strings;
  }

  private static byte[][] split(String path) {
    String[] names = path.split("\\.", -1);
    byte[][] parts = new byte[names.length][];
    for (int i = 0; i < names.length; i++) {
      parts[i] = names[i].getBytes(StandardCharsets.UTF_8);
    }
    return parts;
  }

  public boolean isPartitioned() {
    return partitionKey != null;
  }

  /** The partition key's value, or null when it is missing or lies behind an array. */
  public RawValue partitionKeyOf(RawDocument document) {
    if (partitionKey == null) {
      return null;
    }
    RawValue value = document.field(partitionKey[0]);
    for (int i = 1; i < partitionKey.length; i++) {
      if (value == null || !value.isDocument()) {
        return null;
      }
      value = value.asDocument().field(partitionKey[i]);
    }
    return value;
  }

  /** The key of a new document; whoever writes it asks {@link #requireNoArray} first. */
  public PrimaryKey ofNew(RawDocument document) {
    RawValue id = requireId(document);
    RawValue value = partitionKeyOrArray(document);
    return value != null && value.isArray()
        ? new PrimaryKey("", NOTHING, null, value) // is going to be refused, and may be large
        : of(value, id);
  }

  /**
   * The key of a document that is to take the place of another. Refuses one that would not be found
   * again: with an array on the path of its partition key, or with another key.
   */
  public PrimaryKey ofReplacement(RawDocument before, RawDocument after) {
    RawValue id = requireId(after);
    RawValue value = partitionKeyOrArray(after);
    requireNoArray(value);
    PrimaryKey key = of(value, id);
    // Almost always the bytes are the same; else equal values of other types have the same key.
    boolean isSame =
        id.equals(before.field(ID)) && Objects.equals(value, partitionKeyOf(before))
            || Arrays.equals(of(before).bytes(), key.bytes());
    if (!isSame) {
      throw new StorageException(
          StorageException.Reason.KEY_CHANGED,
          "a replacement cannot change " + (path == null ? "_id" : path + " or _id"));
    }
    return key;
  }

  /** Refuses a document that would not be found again by its partition key. */
  public static void requireNoArray(RawValue partitionKey) {
    if (partitionKey != null && partitionKey.isArray()) {
      throw new StorageException(
          StorageException.Reason.KEY_HAS_ARRAY,
          "Shard key cannot contain array values or array descendants.");
    }
  }

  /** The partition key's value or an array on its path; null when there is neither. */
  private RawValue partitionKeyOrArray(RawDocument document) {
    if (partitionKey == null) {
      return null;
    }
    RawDocument parent = document;
    for (int i = 0; ; i++) {
      RawValue value = parent.field(partitionKey[i]);
      if (value == null || value.isArray() || i == partitionKey.length - 1) {
        return value;
      }
      if (!value.isDocument()) {
        return null;
      }
      parent = value.asDocument();
    }
  }

  public PrimaryKey of(RawDocument document) {
    return of(partitionKeyOf(document), requireId(document));
  }

  private static RawValue requireId(RawDocument document) {
    RawValue id = document.field(ID);
    if (id == null) {
      throw new IllegalArgumentException("a stored document needs an _id");
    }
    return id;
  }

  public PrimaryKey of(RawValue partitionKeyValue, RawValue id) {
    if (partitionKey == null) {
      return new PrimaryKey("", bytes(null, id), null, null);
    }
    byte[] encoded = encodePartitionKey(partitionKeyValue);
    String epk = epk(partitionKeyValue);
    byte[] bytes = bounded(concat(encoded, encodeId(id)));
    return new PrimaryKey(epk, bytes, logicalKey(epk, encoded), partitionKeyValue);
  }

  /** The bytes of that key alone, for which nothing needs to be hashed. */
  public byte[] bytes(RawValue partitionKeyValue, RawValue id) {
    byte[] encodedId = encodeId(id);
    return bounded(
        partitionKey == null
            ? encodedId
            : concat(encodePartitionKey(partitionKeyValue), encodedId));
  }

  private byte[] encodeId(RawValue id) {
    return new KeyEncoder(strings).append(id, false).toByteArray();
  }

  /** Partition key (under its dotted path, if it is there) and {@code _id}, as a document. */
  public byte[] documentKey(RawDocument document) {
    return documentKey(partitionKeyOf(document), document.field(ID));
  }

  /** The same of a document of which only these are known. */
  public byte[] documentKey(RawValue partitionKeyValue, RawValue id) {
    var encoder = new BsonEncoder(64);
    int start = encoder.startDocument();
    if (partitionKeyValue != null && path != null && !path.equals("_id")) {
      encoder.writeElement(path, partitionKeyValue);
    }
    encoder.writeElement("_id", id);
    encoder.endDocument(start);
    return encoder.toByteArray();
  }

  /** The primary key of a document key. */
  public PrimaryKey ofDocumentKey(RawDocument documentKey) {
    RawValue id = requireId(documentKey);
    boolean isId = path == null || path.equals("_id");
    byte[] name = isId ? ID : path.getBytes(StandardCharsets.UTF_8);
    return of(documentKey.field(name), id);
  }

  /** A primary key in words, for people; a key that was cut, or has a collation, cannot be told. */
  public String describe(byte[] primaryKey) {
    if (primaryKey.length == CUT_KEY_BYTES + DIGEST_BYTES || strings != StringOrder.UTF8) {
      return "_id unknown";
    }
    var values = new KeyDecoder(primaryKey, new byte[0]);
    String text = path == null ? "" : path + " " + json(values.next(false)) + ", ";
    return text + "_id " + json(values.next(false));
  }

  private static String json(BsonValue value) {
    String wrapped = new BsonDocument("v", value).toJson();
    return wrapped.substring(wrapped.indexOf(':') + 1, wrapped.length() - 1).strip();
  }

  /** Where the documents of that partition key are in the key space. */
  public String epk(RawValue partitionKeyValue) {
    if (partitionKey == null) {
      return "";
    }
    return EffectivePartitionKey.of(partitionKeyValue).toString();
  }

  /** The key under which the size of a logical partition is kept. */
  public byte[] logicalKey(RawValue partitionKeyValue) {
    if (partitionKey == null) {
      return null;
    }
    return logicalKey(epk(partitionKeyValue), encodePartitionKey(partitionKeyValue));
  }

  /** Where in the key space a logical partition is. */
  static String epkOfLogicalKey(byte[] logicalKey) {
    return new String(logicalKey, 0, EPK_CHARACTERS, StandardCharsets.US_ASCII);
  }

  /** The partition key's value of a logical partition; null when the key was cut. */
  public static BsonValue valueOfLogicalKey(byte[] logicalKey) {
    if (logicalKey.length == CUT_KEY_BYTES + DIGEST_BYTES) {
      return null; // or, rarely, a key of just this length
    }
    byte[] encoded = Arrays.copyOfRange(logicalKey, EPK_CHARACTERS, logicalKey.length);
    return new KeyDecoder(encoded, new byte[0]).next(false);
  }

  private static byte[] logicalKey(String epk, byte[] encoded) {
    return bounded(concat(epk.getBytes(StandardCharsets.US_ASCII), encoded));
  }

  /** The key of a unique index: unique among the documents of one partition key. */
  public static byte[] uniqueKey(byte[] logicalKey, byte[] indexKey) {
    return bounded(logicalKey == null ? indexKey : concat(logicalKey, indexKey));
  }

  /**
   * The maps take keys of some kilobytes. What is longer is cut and gets its digest, which is as
   * good as equality: nobody finds two values with the same SHA-256.
   */
  private static byte[] bounded(byte[] key) {
    if (key.length <= KEY_BYTES_MAX) {
      return key;
    }
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(key);
      return concat(Arrays.copyOf(key, CUT_KEY_BYTES), digest);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  private byte[] encodePartitionKey(RawValue value) {
    // Not under the collation: the hash goes by bytes, and so does a partition key's identity.
    return new KeyEncoder().append(value == null ? MISSING : value, false).toByteArray();
  }

  private static byte[] concat(byte[] first, byte[] second) {
    byte[] both = new byte[first.length + second.length];
    System.arraycopy(first, 0, both, 0, first.length);
    System.arraycopy(second, 0, both, first.length, second.length);
    return both;
  }
}
