package dev.orrery.wire;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdException;
import java.io.IOException;
import java.util.Arrays;
import java.util.Optional;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;
import org.xerial.snappy.Snappy;

/**
 * A way to compress messages, by the number and the name it has in the protocol. A client offers
 * names in its handshake, and a request that came compressed is answered in the same way.
 */
public enum Compressor {
  /** Bytes as they are: what every message uses that is not wrapped into OP_COMPRESSED. */
  NOOP(0, "noop", 1) {
    @Override
    byte[] compress(byte[] plain, int from) {
      return Arrays.copyOfRange(plain, from, plain.length);
    }

    @Override
    int unpack(byte[] packed, int from, byte[] target, int targetFrom) {
      int length = packed.length - from;
      if (length == target.length - targetFrom) {
        System.arraycopy(packed, from, target, targetFrom, length);
      }
      return length;
    }
  },

  SNAPPY(1, "snappy", 22) {
    @Override
    byte[] compress(byte[] plain, int from) {
      try {
        byte[] packed = new byte[Snappy.maxCompressedLength(plain.length - from)];
        int length = Snappy.compress(plain, from, plain.length - from, packed, 0);
        return Arrays.copyOf(packed, length);
      } catch (IOException e) {
        throw new IllegalStateException("snappy cannot compress", e);
      }
    }

    @Override
    int unpack(byte[] packed, int from, byte[] target, int targetFrom) {
      try {
        int length = Snappy.uncompressedLength(packed, from, packed.length - from);
        // The native code trusts this length, so it must be right before that code runs.
        return length == target.length - targetFrom
            ? Snappy.uncompress(packed, from, packed.length - from, target, targetFrom)
            : length;
      } catch (IOException e) {
        throw new WireException("snappy cannot unpack: " + e.getMessage());
      }
    }
  },

  ZLIB(2, "zlib", 1032) {
    @Override
    byte[] compress(byte[] plain, int from) {
      var deflater = new Deflater();
      try {
        deflater.setInput(plain, from, plain.length - from);
        deflater.finish();
        // Stored blocks cost 5 bytes for 16 KB at worst, the frame around them 6.
        int length = plain.length - from;
        byte[] packed = new byte[length + length / 1000 + 64];
        int used = deflater.deflate(packed);
        return Arrays.copyOf(packed, used);
      } finally {
        deflater.end();
      }
    }

    @Override
    int unpack(byte[] packed, int from, byte[] target, int targetFrom) {
      var inflater = new Inflater();
      try {
        inflater.setInput(packed, from, packed.length - from);
        int length = inflater.inflate(target, targetFrom, target.length - targetFrom);
        // The last bytes may be out before the trailing checksum was read.
        if (!inflater.finished() && inflater.inflate(new byte[1]) != 0) {
          throw new WireException("zlib data is longer than announced");
        }
        if (!inflater.finished()) {
          throw new WireException("zlib data is truncated");
        }
        return length;
      } catch (DataFormatException e) {
        throw new WireException("zlib cannot unpack: " + e.getMessage());
      } finally {
        inflater.end();
      }
    }
  },

  ZSTD(3, "zstd", 32_768) {
    @Override
    byte[] compress(byte[] plain, int from) {
      int length = plain.length - from;
      byte[] packed = new byte[Math.toIntExact(Zstd.compressBound(length))];
      long used =
          Zstd.compressByteArray(
              packed, 0, packed.length, plain, from, length, Zstd.defaultCompressionLevel());
      if (Zstd.isError(used)) {
        throw new IllegalStateException("zstd cannot compress: " + Zstd.getErrorName(used));
      }
      return Arrays.copyOf(packed, Math.toIntExact(used));
    }

    @Override
    int unpack(byte[] packed, int from, byte[] target, int targetFrom) {
      int room = target.length - targetFrom;
      try {
        long length =
            Zstd.decompressByteArray(target, targetFrom, room, packed, from, packed.length - from);
        if (Zstd.isError(length)) {
          throw new WireException("zstd cannot unpack: " + Zstd.getErrorName(length));
        }
        return Math.toIntExact(length);
      } catch (ZstdException e) {
        throw new WireException("zstd cannot unpack: " + e.getMessage());
      }
    }
  };

  private static final Compressor[] BY_NUMBER = values();

  private final int number;
  private final String protocolName;

  /** No input makes the format unpack to more than this many bytes for each of its own. */
  private final int ratioMax;

  Compressor(int number, String protocolName, int ratioMax) {
    this.number = number;
    this.protocolName = protocolName;
    this.ratioMax = ratioMax;
  }

  public int number() {
    return number;
  }

  /** The name that the handshake uses. */
  public String protocolName() {
    return protocolName;
  }

  /** The compressor that a client offers by this name, if it is one that compresses. */
  public static Optional<Compressor> find(String protocolName) {
    return Arrays.stream(BY_NUMBER)
        .filter(compressor -> compressor != NOOP)
        .filter(compressor -> compressor.protocolName.equals(protocolName))
        .findFirst();
  }

  static Compressor require(int number) {
    if (number < 0 || number >= BY_NUMBER.length) {
      throw new WireException("unknown compressor " + number);
    }
    return BY_NUMBER[number];
  }

  /** Compresses from a position to the end of the array. */
  abstract byte[] compress(byte[] plain, int from);

  /**
   * Unpacks from a position to the end of the array, into a new array with free room in front.
   *
   * <p>The announced length is the peer's word. Nothing is allocated for a length that the packed
   * bytes cannot reach, and the real length must be the announced one.
   */
  byte[] decompress(byte[] packed, int from, int room, int announced) {
    long reachable = (long) ratioMax * (packed.length - from);
    if (announced < 0 || announced > WireLimits.MESSAGE_BYTES_MAX - room || announced > reachable) {
      throw new WireException("compressed message announces a length of " + announced);
    }
    byte[] target = new byte[room + announced];
    int length = unpack(packed, from, target, room);
    if (length != announced) {
      throw new WireException(
          "compressed message announces " + announced + " bytes, has " + length);
    }
    return target;
  }

  /** Fills the rest of the target and returns the real length, or throws WireException. */
  abstract int unpack(byte[] packed, int from, byte[] target, int targetFrom);
}
