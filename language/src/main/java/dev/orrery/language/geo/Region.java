package dev.orrery.language.geo;

import com.google.common.geometry.S2Region;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The area that a query names: what lies in it, and what touches it. What cannot be brought to its
 * surface, such as a line to the plane, does neither. Immutable, for any thread.
 */
public interface Region {
  boolean contains(Geometry stored);

  boolean intersects(Geometry stored);

  /** The same as an area that cells of the sphere can cover; null if it is not there. */
  @Nullable S2Region onSphere();

  /**
   * Rectangles of the plane that hold everything of the region; null if it is on the sphere alone.
   */
  @Nullable List<FlatBox> onPlane();
}
