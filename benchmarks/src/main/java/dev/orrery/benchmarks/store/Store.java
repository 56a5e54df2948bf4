package dev.orrery.benchmarks.store;

/** What is compared: documents under numbers. */
interface Store extends AutoCloseable {
  /** Adds a document; it need not be on disk on return. */
  void insert(long id, byte[] document) throws Exception;

  /** Adds documents under consecutive numbers as one batch; they need not be on disk on return. */
  void insertAll(long firstId, byte[][] documents) throws Exception;

  /** Adds a document and returns when it survives a power cut. Called by many threads. */
  void insertDurably(long id, byte[] document) throws Exception;

  /** The document, or null. */
  byte[] read(long id) throws Exception;

  void update(long id, byte[] document) throws Exception;

  void delete(long id) throws Exception;

  @Override
  void close();
}
