package dev.orrery.language.geo;

import java.util.ArrayList;
import java.util.List;

/**
 * Covers rectangles of a grid with squares: halves of halves of the whole grid.
 *
 * @param grids what is to be covered
 * @param bits how often the grid can be halved
 */
record SquareCover(List<Grid> grids, int bits) {
  /** So many squares are divided no further. */
  private static final int SQUARES_MAX = 40;

  /** A rectangle, by its first and last columns and rows. */
  record Grid(long left, long bottom, long right, long top) {
    boolean touches(Square square) {
      return square.column <= right
          && square.column + square.size > left
          && square.row <= top
          && square.row + square.size > bottom;
    }

    boolean holds(Square square) {
      return square.column >= left
          && square.column + square.size - 1 <= right
          && square.row >= bottom
          && square.row + square.size - 1 <= top;
    }
  }

  /** As many columns as rows, from the first of each on. */
  record Square(long column, long row, long size) {
    List<Square> quarters() {
      long half = size / 2;
      return List.of(
          new Square(column, row, half),
          new Square(column, row + half, half),
          new Square(column + half, row, half),
          new Square(column + half, row + half, half));
    }
  }

  /** Squares that hold everything, as small as a few can be. */
  List<Square> squares() {
    List<Square> done = new ArrayList<>();
    List<Square> open = touching(List.of(new Square(0, 0, 1L << bits)));
    while (!open.isEmpty() && done.size() + open.size() < SQUARES_MAX) {
      List<Square> next = new ArrayList<>();
      for (Square square : open) {
        if (square.size == 1 || grids.stream().anyMatch(grid -> grid.holds(square))) {
          done.add(square);
        } else {
          next.addAll(touching(square.quarters()));
        }
      }
      open = next;
    }
    done.addAll(open);
    return done;
  }

  private List<Square> touching(List<Square> squares) {
    return squares.stream()
        .filter(square -> grids.stream().anyMatch(grid -> grid.touches(square)))
        .toList();
  }
}
