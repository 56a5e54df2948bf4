package dev.orrery.storage.log;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/** Groups to write, and directories as a crash would leave them. */
final class Groups {

  private Groups() {}

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  static RecordGroup group(String payload) {
    return new RecordGroup().add((byte) 1, bytes("meta"), bytes(payload));
  }

  static List<LogRecord> randomRecords(Random random, int countMax, int payloadBytesMax) {
    var records = new ArrayList<LogRecord>();
    for (int i = 1 + random.nextInt(countMax); i > 0; i--) {
      byte[] meta = new byte[random.nextInt(40)];
      byte[] payload = new byte[random.nextInt(payloadBytesMax)];
      random.nextBytes(meta);
      random.nextBytes(payload);
      records.add(new LogRecord((byte) random.nextInt(), 0, meta, payload));
    }
    return records;
  }

  static RecordGroup group(List<LogRecord> records) {
    var group = new RecordGroup();
    records.forEach(record -> group.add(record.kind(), record.meta(), record.payload()));
    return group;
  }

  static List<LogRecord> records(LogGroup group) {
    var records = new ArrayList<LogRecord>();
    for (int i = 0; i < group.size(); i++) {
      records.add(group.record(i));
    }
    return records;
  }

  /** Copies the files of an open log: what a killed process leaves. */
  static Path crash(Path directory, Path target) throws IOException {
    Files.createDirectories(target);
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.toList()) {
        if (!file.getFileName().toString().equals(DirectoryLock.FILE_NAME)) {
          Files.write(target.resolve(file.getFileName()), Files.readAllBytes(file));
        }
      }
    }
    return target;
  }

  static Path segmentFile(Path directory, long number) {
    return directory.resolve(Format.fileName(number));
  }
}
