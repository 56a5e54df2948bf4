package dev.orrery.benchmarks.report;

import java.util.Locale;

/** Writes an SVG image, shape by shape. */
final class Svg {
  private static final String FONT = "font-family=\"sans-serif\" font-size=\"12\"";

  private final StringBuilder shapes = new StringBuilder();
  private final int width;
  private final int height;

  Svg(int width, int height) {
    this.width = width;
    this.height = height;
  }

  /** Where a text is held. */
  enum Anchor {
    START,
    MIDDLE,
    END
  }

  void text(double x, double y, Anchor anchor, String text) {
    add(
        "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" fill=\"#222\">%s</text>",
        x, y, anchor.name().toLowerCase(Locale.ROOT), escape(text));
  }

  void line(double fromX, double fromY, double toX, double toY, String colour) {
    add(
        "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\"/>",
        fromX, fromY, toX, toY, colour);
  }

  void bar(double x, double y, double barWidth, double barHeight, String colour) {
    add(
        "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>",
        x, y, barWidth, barHeight, colour);
  }

  void dot(double x, double y, String colour) {
    add("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>", x, y, colour);
  }

  private void add(String shape, Object... values) {
    shapes.append(String.format(Locale.ROOT, shape, values)).append('\n');
  }

  private static String escape(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }

  @Override
  public String toString() {
    return """
        <svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" %s>
        <rect width="%d" height="%d" fill="white"/>
        %s</svg>
        """
        .formatted(width, height, FONT, width, height, shapes);
  }
}
