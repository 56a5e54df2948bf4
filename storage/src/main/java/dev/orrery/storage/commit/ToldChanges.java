package dev.orrery.storage.commit;

import dev.orrery.storage.Change;
import dev.orrery.storage.log.RecordGroup;
import dev.orrery.storage.physical.PendingWrite;
import dev.orrery.storage.structure.DataRecord;
import dev.orrery.value.RawDocument;
import java.util.List;

/** What a commit writes down for followers of changes alone, behind its documents. */
final class ToldChanges {
  private ToldChanges() {}

  static void add(RecordGroup group, PendingWrite[] writes, List<Change.OfDocument> steps) {
    int first = group.size();
    steps.forEach(step -> add(group, step));
    for (int i = 0; i < steps.size(); i++) {
      Change.Image image = steps.get(i).image();
      if (image.delta() != null) {
        add(group, DataRecord.DELTA, first + i, image.delta());
      }
      if (image.before() != null) {
        add(group, DataRecord.BEFORE, first + i, image.before());
      }
    }
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

  private static void add(RecordGroup group, Change.OfDocument step) {
    RawDocument told = step.document();
    byte[] meta =
        new DataRecord(step.collection().id(), step.kind().ordinal(), 0)
            .meta(step.image().effort());
    group.add(DataRecord.STEP, meta, told.bytes(), told.offset(), told.length());
  }

  private static void add(RecordGroup group, byte kind, int index, RawDocument told) {
    byte[] meta = DataRecord.besides(index);
    group.add(kind, meta, told.bytes(), told.offset(), told.length());
  }
}
