package dev.orrery.benchmarks.workload;

import dev.orrery.benchmarks.client.Template;
import dev.orrery.benchmarks.client.Traffic;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import org.bson.BsonDocument;

/** One command, over and over, with a random number in it and perhaps the end of a range. */
final class NumberTraffic implements Traffic {
  static final int FROM = 0x5AFE_11ED;
  static final int TO = 0x5AFE_22ED;

  private final Template template;
  private final int from;
  private final int to;
  private final Range range;
  private final SplittableRandom random = new SplittableRandom(3);

  /**
   * Which numbers are asked for, and what a good answer has.
   *
   * @param bound the number stays below
   * @param width what is added to it for the end; 0 if the command has none
   */
  record Range(int bound, int width, int leastReplyBytes) {}

  NumberTraffic(BsonDocument command, Range range) {
    this.range = range;
    template = Template.command(Loading.DATABASE, command);
    from = template.find(FROM);
    to = range.width() == 0 ? from : template.find(TO);
  }

  @Override
  public int next(int connection, ByteBuffer message) {
    template.copyTo(message);
    int number = random.nextInt(range.bound());
    message.putInt(to, number + range.width());
    message.putInt(from, number);
    return range.leastReplyBytes();
  }

  @Override
  public int messageBytes() {
    return template.length();
  }
}
