package dev.orrery.benchmarks.store;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/** RocksDB with its own defaults, its write-ahead log and its own group commit. */
final class RocksStore implements Store {
  private final Options options = new Options().setCreateIfMissing(true);
  private final WriteOptions later = new WriteOptions();
  private final WriteOptions durable = new WriteOptions().setSync(true);
  private final RocksDB database;

  RocksStore(Path directory) throws RocksDBException {
    database = RocksDB.open(options, directory.resolve("rocks").toString());
  }

  private static byte[] key(long id) {
    return ByteBuffer.allocate(Long.BYTES).putLong(id).array();
  }

  @Override
  public void insert(long id, byte[] document) throws RocksDBException {
    database.put(later, key(id), document);
  }

  @Override
  public void insertAll(long firstId, byte[][] documents) throws RocksDBException {
    try (var batch = new WriteBatch()) {
      for (int i = 0; i < documents.length; i++) {
        batch.put(key(firstId + i), documents[i]);
      }
      database.write(later, batch);
    }
  }

  @Override
  public void insertDurably(long id, byte[] document) throws RocksDBException {
    database.put(durable, key(id), document);
  }

  @Override
  public byte[] read(long id) throws RocksDBException {
    return database.get(key(id));
  }

  @Override
  public void update(long id, byte[] document) throws RocksDBException {
    database.put(later, key(id), document);
  }

  @Override
  public void delete(long id) throws RocksDBException {
    database.delete(later, key(id));
  }

  @Override
  public void close() {
    database.close();
    later.close();
    durable.close();
    options.close();
  }
}
