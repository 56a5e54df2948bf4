package dev.orrery.server.console.history;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Arrays;

/**
 * The load of one partition by interval, as far back as its resolution goes: request units, the
 * highest share of its budget that it spent in a second, and how often it had none left. Used under
 * the lock of its owner.
 */
final class HeatRing {
  /** Stands for a partition that nothing limits. */
  static final float UNLIMITED = -1;

  private final Resolution resolution;
  private final float[] units;
  private final float[] peaks;
  private final int[] refused;
  private long newest = -1;

  HeatRing(Resolution resolution) {
    this.resolution = resolution;
    this.units = new float[resolution.slots()];
    this.peaks = new float[resolution.slots()];
    this.refused = new int[resolution.slots()];
    Arrays.fill(peaks, UNLIMITED);
  }

  /** One interval. */
  record Cell(float units, float peak, int refused) {
    static final Cell NOTHING = new Cell(0, UNLIMITED, 0);
  }

  /** Adds what a second brought. */
  void add(long epochSecond, Cell more) {
    long slot = resolution.slotOf(epochSecond);
    if (slot > newest) {
      advance(slot);
    }
    if (newest - slot < units.length) {
      int at = (int) (slot % units.length);
      units[at] += more.units;
      peaks[at] = Math.max(peaks[at], more.peak);
      refused[at] += more.refused;
    }
  }

  private void advance(long slot) {
    long first = Math.max(newest + 1, slot - units.length + 1);
    for (long each = first; each <= slot; each++) {
      int at = (int) (each % units.length);
      units[at] = 0;
      peaks[at] = UNLIMITED;
      refused[at] = 0;
    }
    newest = slot;
  }

  Cell at(long slot) {
    if (slot > newest || newest - slot >= units.length || slot < 0) {
      return Cell.NOTHING;
    }
    int at = (int) (slot % units.length);
    return new Cell(units[at], peaks[at], refused[at]);
  }

  void write(DataOutput out) throws IOException {
    out.writeLong(newest);
    for (int i = 0; i < units.length; i++) {
      out.writeFloat(units[i]);
      out.writeFloat(peaks[i]);
      out.writeInt(refused[i]);
    }
  }

  static HeatRing read(Resolution resolution, DataInput in) throws IOException {
    var ring = new HeatRing(resolution);
    ring.newest = in.readLong();
    for (int i = 0; i < ring.units.length; i++) {
      ring.units[i] = in.readFloat();
      ring.peaks[i] = in.readFloat();
      ring.refused[i] = in.readInt();
    }
    return ring;
  }
}
