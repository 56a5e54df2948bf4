package dev.orrery.benchmarks.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Horizontal bars on a logarithmic scale, in groups: ratios of 0.1 and of 10 lie as far from 1. A
 * line over each bar spans its range.
 */
final class BarChart {
  private static final List<String> COLOURS =
      List.of("#2b6cb0", "#c05621", "#2f855a", "#6b46c1", "#718096");
  private static final int WIDTH = 860;
  private static final int LEFT = 260;
  private static final int RIGHT = 60;
  private static final int TOP = 70;
  private static final int BOTTOM = 40;
  private static final int BAR = 14;
  private static final int GAP = 8;

  private final String title;
  private final String axis;
  private final Map<String, Map<String, Spread>> groups = new LinkedHashMap<>();

  BarChart(String title, String axis) {
    this.title = title;
    this.axis = axis;
  }

  void add(String group, String series, Spread spread) {
    groups.computeIfAbsent(group, name -> new LinkedHashMap<>()).put(series, spread);
  }

  boolean isEmpty() {
    return groups.isEmpty();
  }

  String svg() {
    var svg = new Svg(WIDTH, height());
    var scale = scale();
    List<String> series = series();
    drawFrame(svg, scale, series);
    double y = TOP;
    for (Map.Entry<String, Map<String, Spread>> group : groups.entrySet()) {
      double middle = y + group.getValue().size() * BAR / 2.0 + 4;
      svg.text(LEFT - 8, middle, Svg.Anchor.END, group.getKey());
      for (Map.Entry<String, Spread> bar : group.getValue().entrySet()) {
        drawBar(svg, scale, y, bar.getValue(), colour(series, bar.getKey()));
        y += BAR;
      }
      y += GAP;
    }
    return svg.toString();
  }

  private int height() {
    int bars = groups.values().stream().mapToInt(Map::size).sum();
    return TOP + bars * BAR + groups.size() * GAP + BOTTOM;
  }

  private LogScale scale() {
    double least = 1;
    double greatest = 1;
    for (Map<String, Spread> group : groups.values()) {
      for (Spread spread : group.values()) {
        least = Math.min(least, spread.least());
        greatest = Math.max(greatest, spread.greatest());
      }
    }
    return new LogScale(least, greatest, LEFT, WIDTH - RIGHT);
  }

  private List<String> series() {
    var names = new ArrayList<String>();
    for (Map<String, Spread> group : groups.values()) {
      group.keySet().stream().filter(name -> !names.contains(name)).forEach(names::add);
    }
    return names;
  }

  private void drawFrame(Svg svg, LogScale scale, List<String> series) {
    svg.text(LEFT, 20, Svg.Anchor.START, title);
    double x = LEFT;
    for (String name : series) {
      svg.bar(x, 34, 10, 10, colour(series, name));
      svg.text(x + 14, 43, Svg.Anchor.START, name);
      x += 40 + name.length() * 7.0;
    }
    int bottom = height() - BOTTOM;
    for (double tick : scale.ticks()) {
      svg.line(scale.at(tick), TOP - 6, scale.at(tick), bottom, tick == 1 ? "#222" : "#ddd");
      svg.text(scale.at(tick), TOP - 10, Svg.Anchor.MIDDLE, LogScale.label(tick));
    }
    svg.text((LEFT + WIDTH - RIGHT) / 2.0, bottom + 24, Svg.Anchor.MIDDLE, axis);
  }

  private static void drawBar(Svg svg, LogScale scale, double y, Spread spread, String colour) {
    double from = Math.min(scale.at(1), scale.at(spread.median()));
    double to = Math.max(scale.at(1), scale.at(spread.median()));
    svg.bar(from, y + 1, Math.max(1, to - from), BAR - 2, colour);
    double middle = y + BAR / 2.0;
    svg.line(scale.at(spread.least()), middle, scale.at(spread.greatest()), middle, "#222");
    svg.text(
        Math.max(to, scale.at(spread.greatest())) + 4,
        y + BAR - 3,
        Svg.Anchor.START,
        Numbers.format(spread.median()));
  }

  private static String colour(List<String> series, String name) {
    return COLOURS.get(series.indexOf(name) % COLOURS.size());
  }
}
