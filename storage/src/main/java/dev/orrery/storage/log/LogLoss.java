package dev.orrery.storage.log;

import java.nio.file.Path;

/**
 * Bytes of a log that cannot be read any more.
 *
 * @param bytes how many they are; 0 when nobody knows, as when a whole file is missing
 * @param meta the meta part of the record that lay there, as far as can be told, or null; it has no
 *     checksum, so it is good for telling people and for nothing else
 */
public record LogLoss(Path file, long offset, long bytes, String what, byte[] meta) {
  @Override
  public String toString() {
    String length = bytes == 0 ? "" : ", " + bytes + " bytes";
    return file + " at offset " + offset + length + ": " + what;
  }
}
