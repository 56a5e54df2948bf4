package dev.orrery.language.geo;

import com.google.common.geometry.S2Cap;
import com.google.common.geometry.S2Cell;
import com.google.common.geometry.S2LatLngRect;
import com.google.common.geometry.S2Point;
import com.google.common.geometry.S2Region;
import dev.orrery.language.limit.Allowance;

/** A region of which every comparison with a cell counts as a step of what is being done. */
record CountedRegion(S2Region region) implements S2Region {
  @Override
  public S2Cap getCapBound() {
    return region.getCapBound();
  }

  @Override
  public S2LatLngRect getRectBound() {
    return region.getRectBound();
  }

  @Override
  public boolean contains(S2Cell cell) {
    Allowance.current().step();
    return region.contains(cell);
  }

  @Override
  public boolean contains(S2Point point) {
    Allowance.current().step();
    return region.contains(point);
  }

  @Override
  public boolean mayIntersect(S2Cell cell) {
    Allowance.current().step();
    return region.mayIntersect(cell);
  }
}
