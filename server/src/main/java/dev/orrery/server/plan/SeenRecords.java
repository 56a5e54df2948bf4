package dev.orrery.server.plan;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.limit.Holding;
import dev.orrery.language.limit.MemoryAccount;
import java.util.HashSet;
import java.util.Set;

/** The records that a scan has given, so that it gives each once. */
final class SeenRecords {
  /** What a number takes in a set. */
  private static final int RECORD_BYTES = 64;

  private final Set<Long> records = new HashSet<>();
  private final Holding holding;

  SeenRecords(MemoryAccount memory) {
    this.holding = new Holding(memory);
  }

  /** Whether it is the first time. */
  boolean add(long record) {
    if (!records.add(record)) {
      return false;
    }
    if (!holding.grow(RECORD_BYTES)) {
      throw new CommandException(
          ErrorCode.EXCEEDED_MEMORY_LIMIT,
          "a scan gave " + records.size() + " records and has no memory to know them again");
    }
    return true;
  }

  void close() {
    holding.close();
  }
}
