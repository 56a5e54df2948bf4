package dev.orrery.language.limit;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;

/** Keeps on the heap what is put away, and knows what nobody has closed yet. */
public final class HeapSpills implements SpillArea {
  private final Set<SpillFile> files = Collections.newSetFromMap(new IdentityHashMap<>());

  /** How many files there are. */
  public synchronized int count() {
    return files.size();
  }

  /** How many of them are being read, and have not rested since. */
  public synchronized long awake() {
    return files.stream().filter(file -> ((HeapFile) file).isAwake).count();
  }

  @Override
  public synchronized SpillFile create(String purpose) {
    var file = new HeapFile();
    files.add(file);
    return file;
  }

  private synchronized void remove(SpillFile file) {
    files.remove(file);
  }

  private final class HeapFile implements SpillFile {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private boolean isAwake;

    @Override
    public OutputStream output() {
      return bytes;
    }

    @Override
    public int read(ByteBuffer target, long position) {
      isAwake = true;
      int count = (int) Math.min(target.remaining(), bytes.size() - position);
      target.put(bytes.toByteArray(), (int) position, Math.max(0, count));
      return count > 0 ? count : -1;
    }

    @Override
    public long length() {
      return bytes.size();
    }

    @Override
    public void rest() {
      isAwake = false;
    }

    @Override
    public void close() {
      rest();
      remove(this);
    }
  }
}
