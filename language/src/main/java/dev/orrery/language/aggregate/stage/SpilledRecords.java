package dev.orrery.language.aggregate.stage;

import dev.orrery.language.expression.Work;
import dev.orrery.language.limit.SpillArea;
import dev.orrery.language.limit.SpillFailure;
import dev.orrery.language.limit.SpillFile;
import dev.orrery.language.limit.SpillInput;
import dev.orrery.value.RawDocument;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.bson.BsonDocument;

/**
 * What a blocking stage put away: records of a key, a number and a document, written once and read
 * in the same order, as often as wanted, or one by one. They are there until this is closed.
 */
public final class SpilledRecords implements AutoCloseable {
  private static final int BLOCK_BYTES = 1 << 16;
  private static final int WRITE_BYTES = 1 << 14; // a grouping writes many at a time

  /** As many as there are places at which a reader goes on: both ends of a window, and a few. */
  private static final int BLOCKS = 8;

  private final SpillFile file;
  private final DataOutputStream out;
  private final List<SpillInput> readers = new ArrayList<>();
  private final Block[] blocks = new Block[BLOCKS];
  private int nextBlock;
  private long written;

  /** Some bytes of the file. */
  private record Block(long position, ByteBuffer bytes) {
    boolean has(long from, int length) {
      return from >= position && from + length <= position + bytes.limit();
    }

    int getInt(long from) {
      return bytes.getInt((int) (from - position));
    }
  }

  public SpilledRecords(SpillArea area, String stage) {
    try {
      file = area.create(stage.substring(1));
      out = new DataOutputStream(new BufferedOutputStream(file.output(), WRITE_BYTES));
    } catch (IOException e) {
      throw SpillFailure.of(e);
    }
  }

  /** Writes a record; tells where it is. */
  public long write(byte[] key, long number, RawDocument document) {
    Work.countBytes(document.length());
    try {
      long position = written;
      written += 2L * Integer.BYTES + Long.BYTES + key.length + document.length();
      out.writeInt(key.length);
      out.write(key);
      out.writeLong(number);
      out.writeInt(document.length());
      out.write(document.bytes(), document.offset(), document.length());
      return position;
    } catch (IOException e) {
      throw SpillFailure.of(e);
    }
  }

  /** Ends the writing. */
  public void finish() {
    try {
      out.close();
    } catch (IOException e) {
      throw SpillFailure.of(e);
    }
  }

  /** The records in the order in which they were written. */
  public Iterator<Sorter.Entry> entries() {
    var input = new SpillInput(file);
    var in = new DataInputStream(input);
    readers.add(input);
    return new Iterator<>() {
      @Override
      public boolean hasNext() {
        try {
          return input.hasMore();
        } catch (IOException e) {
          throw SpillFailure.of(e);
        }
      }

      @Override
      public Sorter.Entry next() {
        if (!hasNext()) {
          throw new NoSuchElementException();
        }
        return read(in);
      }
    };
  }

  /** Closes what is open, until somebody reads on. */
  public void rest() {
    try {
      for (SpillInput reader : readers) {
        reader.rest();
      }
      file.rest();
      Arrays.fill(blocks, null);
    } catch (IOException e) {
      throw SpillFailure.of(e);
    }
  }

  /** How many bytes were written. */
  long length() {
    return written;
  }

  /** The document of the record at that position. */
  BsonDocument documentAt(long position) {
    try {
      long afterKey = position + Integer.BYTES + block(position, Integer.BYTES).getInt(position);
      long lengthAt = afterKey + Long.BYTES;
      int length = block(lengthAt, Integer.BYTES).getInt(lengthAt);
      byte[] document = new byte[length];
      Block block = block(lengthAt + Integer.BYTES, length);
      block.bytes.get((int) (lengthAt + Integer.BYTES - block.position), document);
      return RawDocument.wrap(document).toBsonDocument();
    } catch (IOException e) {
      throw SpillFailure.of(e);
    }
  }

  /** A block that has these bytes; each is read once if places are read in order. */
  private Block block(long position, int length) throws IOException {
    for (Block block : blocks) {
      if (block != null && block.has(position, length)) {
        return block;
      }
    }
    var bytes = ByteBuffer.allocate(Math.max(length, BLOCK_BYTES));
    while (bytes.hasRemaining() && file.read(bytes, position + bytes.position()) >= 0) {}
    if (bytes.position() < length) {
      throw new EOFException("the file ends early");
    }
    var block = new Block(position, bytes.flip());
    if (length <= BLOCK_BYTES) { // the others would take much memory for one document
      blocks[nextBlock] = block;
      nextBlock = (nextBlock + 1) % BLOCKS;
    }
    return block;
  }

  private static Sorter.Entry read(DataInputStream in) {
    try {
      byte[] key = in.readNBytes(in.readInt());
      long number = in.readLong();
      byte[] document = in.readNBytes(in.readInt());
      return new Sorter.Entry(key, number, RawDocument.wrap(document).toBsonDocument());
    } catch (IOException e) {
      throw SpillFailure.of(e);
    }
  }

  @Override
  public void close() {
    try {
      out.close();
      file.close();
    } catch (IOException e) {
      throw SpillFailure.of(e);
    }
  }
}
