package dev.orrery.storage.commit;

import dev.orrery.storage.log.RecordGroup;
import dev.orrery.storage.physical.PendingWrite;
import dev.orrery.storage.structure.DataRecord;
import dev.orrery.value.RawDocument;

/** What a commit writes down for followers of changes alone, behind its documents. */
final class ToldChanges {
  private ToldChanges() {}

  static void add(RecordGroup group, PendingWrite[] writes) {
    for (int i = 0; i < writes.length; i++) {
      PendingWrite write = writes[i];
      if (write.delta != null) {
        add(group, DataRecord.DELTA, i, write.delta);
      }
      if (write.keepsBefore) {
        add(group, DataRecord.BEFORE, i, write.before.document());
      }
    }
  }

  private static void add(RecordGroup group, byte kind, int index, RawDocument told) {
    byte[] meta = DataRecord.besides(index);
    group.add(kind, meta, told.bytes(), told.offset(), told.length());
  }
}
