package dev.orrery.benchmarks.store;

import java.nio.file.Path;
import java.util.concurrent.locks.ReentrantLock;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;

/** H2's MVStore: a B-tree in the JVM. It has no group commit, so writers share one here. */
final class MvStoreStore implements Store {
  private final MVStore store;
  private final MVMap<Long, byte[]> map;
  private final ReentrantLock syncing = new ReentrantLock();
  private volatile long syncs;

  MvStoreStore(Path directory) {
    store = new MVStore.Builder().fileName(directory.resolve("store").toString()).open();
    map = store.openMap("documents");
  }

  @Override
  public void insert(long id, byte[] document) {
    map.put(id, document);
  }

  @Override
  public void insertAll(long firstId, byte[][] documents) {
    for (int i = 0; i < documents.length; i++) {
      map.put(firstId + i, documents[i]);
    }
  }

  @Override
  public void insertDurably(long id, byte[] document) {
    map.put(id, document);
    long before = syncs;
    syncing.lock();
    try {
      if (syncs < before + 2) { // else one began and ended after the put
        store.commit();
        store.sync();
        syncs = syncs + 1;
      }
    } finally {
      syncing.unlock();
    }
  }

  @Override
  public byte[] read(long id) {
    return map.get(id);
  }

  @Override
  public void update(long id, byte[] document) {
    map.put(id, document);
  }

  @Override
  public void delete(long id) {
    map.remove(id);
  }

  @Override
  public void close() {
    store.close();
  }
}
