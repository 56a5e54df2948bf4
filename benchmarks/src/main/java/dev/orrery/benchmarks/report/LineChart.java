package dev.orrery.benchmarks.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Lines between points, on two logarithmic axes. */
final class LineChart {
  private static final List<String> COLOURS = List.of("#2b6cb0", "#c05621", "#2f855a");
  private static final int WIDTH = 640;
  private static final int HEIGHT = 400;
  private static final int LEFT = 70;
  private static final int RIGHT = 130;
  private static final int TOP = 50;
  private static final int BOTTOM = 60;

  /** A median and its range, at a place. */
  private record Point(double x, Spread y) {}

  private final String title;
  private final String xAxis;
  private final String yAxis;
  private final Map<String, List<Point>> lines = new LinkedHashMap<>();

  LineChart(String title, String xAxis, String yAxis) {
    this.title = title;
    this.xAxis = xAxis;
    this.yAxis = yAxis;
  }

  void add(String line, double x, Spread y) {
    lines.computeIfAbsent(line, name -> new ArrayList<>()).add(new Point(x, y));
  }

  boolean isEmpty() {
    return lines.isEmpty();
  }

  String svg() {
    var svg = new Svg(WIDTH, HEIGHT);
    List<Point> all = lines.values().stream().flatMap(List::stream).toList();
    double left = all.stream().mapToDouble(Point::x).min().orElse(1);
    double right = all.stream().mapToDouble(Point::x).max().orElse(1);
    double least = all.stream().mapToDouble(point -> point.y().least()).min().orElse(1);
    double most = all.stream().mapToDouble(point -> point.y().greatest()).max().orElse(1);
    var x = new LogScale(left, right, LEFT, WIDTH - RIGHT);
    var y = new LogScale(least, most, HEIGHT - BOTTOM, TOP);
    drawFrame(svg, x, y);
    int number = 0;
    for (Map.Entry<String, List<Point>> line : lines.entrySet()) {
      drawLine(svg, x, y, line, COLOURS.get(number++ % COLOURS.size()));
    }
    return svg.toString();
  }

  private void drawFrame(Svg svg, LogScale x, LogScale y) {
    svg.text(LEFT, 20, Svg.Anchor.START, title);
    svg.text(LEFT, 38, Svg.Anchor.START, yAxis);
    svg.text((LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 16, Svg.Anchor.MIDDLE, xAxis);
    for (double tick : x.ticks()) {
      svg.line(x.at(tick), TOP, x.at(tick), HEIGHT - BOTTOM, "#ddd");
      svg.text(x.at(tick), HEIGHT - BOTTOM + 18, Svg.Anchor.MIDDLE, LogScale.label(tick));
    }
    for (double tick : y.ticks()) {
      svg.line(LEFT, y.at(tick), WIDTH - RIGHT, y.at(tick), "#ddd");
      svg.text(LEFT - 6, y.at(tick) + 4, Svg.Anchor.END, LogScale.label(tick));
    }
  }

  private static void drawLine(
      Svg svg, LogScale x, LogScale y, Map.Entry<String, List<Point>> line, String colour) {
    Point before = null;
    for (Point point : line.getValue()) {
      double at = x.at(point.x());
      svg.line(at, y.at(point.y().least()), at, y.at(point.y().greatest()), colour);
      svg.dot(at, y.at(point.y().median()), colour);
      if (before != null) {
        svg.line(x.at(before.x()), y.at(before.y().median()), at, y.at(point.y().median()), colour);
      }
      before = point;
    }
    svg.bar(x.at(before.x()) + 10, y.at(before.y().median()) - 5, 10, 10, colour);
    svg.text(x.at(before.x()) + 24, y.at(before.y().median()) + 4, Svg.Anchor.START, line.getKey());
  }
}
