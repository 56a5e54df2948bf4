package dev.orrery.storage.postgres;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.tukaani.xz.XZInputStream;

/** Unpacks an archive of PostgreSQL: files, directories and links of a plain tar. */
final class PostgresBinaries {
  private static final int BLOCK = 512;

  private final byte[] header = new byte[BLOCK];

  private PostgresBinaries() {}

  static void unpack(Path into) throws IOException {
    try (var in =
        new DataInputStream(new XZInputStream(new BufferedInputStream(TestPostgres.archive())))) {
      new PostgresBinaries().unpack(in, into);
    }
  }

  private void unpack(DataInputStream in, Path into) throws IOException {
    String longName = null;
    for (in.readFully(header); header[0] != 0; in.readFully(header)) {
      long size = Long.parseLong(text(124, 12).strip(), 8);
      byte[] body = in.readNBytes((int) size);
      in.skipNBytes((BLOCK - size % BLOCK) % BLOCK);
      char type = (char) header[156];
      if (type == 'L') { // of the next entry
        longName = new String(body, 0, body.length - 1, StandardCharsets.UTF_8);
        continue;
      }
      String name = longName == null ? text(0, 100) : longName;
      longName = null;
      Path target = into.resolve(name).normalize();
      if (!target.startsWith(into)) {
        throw new IOException(name + " leads out of the archive");
      }
      write(target, type, body);
    }
  }

  private void write(Path target, char type, byte[] body) throws IOException {
    Files.createDirectories(type == '5' ? target : target.getParent());
    if (type == '2') {
      Files.createSymbolicLink(target, Path.of(text(157, 100)));
    } else if (type == '0' || type == 0) {
      Files.write(target, body);
      boolean isProgram = (Integer.parseInt(text(100, 8).strip(), 8) & 0100) != 0;
      Files.setPosixFilePermissions(
          target, PosixFilePermissions.fromString(isProgram ? "rwxr-xr-x" : "rw-r--r--"));
    }
  }

  private String text(int offset, int length) {
    int end = offset;
    while (end < offset + length && header[end] != 0) {
      end++;
    }
    return new String(header, offset, end - offset, StandardCharsets.UTF_8);
  }
}
