package dev.orrery.language.expression;

import dev.orrery.language.limit.Allowance;
import java.util.List;
import org.bson.BsonValue;

/**
 * Puts the value of a constant expression in its place. It is computed in any case, as it may fail;
 * a large one is kept as long as the request lasts, out of its memory, and where there is none it
 * is computed anew whenever it is needed.
 */
final class Folding {
  private Folding() {}

  /** The memory of a value that is kept; given back once, whoever has the value. */
  static final class Kept {
    private long bytes;

    Kept(long bytes) {
      this.bytes = bytes;
    }

    private long take() {
      long taken = bytes;
      bytes = 0;
      return taken;
    }
  }

  /** The expression's value, or the expression, which is made of those constants. */
  static Expression fold(Expression constant, List<Expression> parts) {
    BsonValue value = constant.evaluate(new Scope());
    boolean hasParts = constant instanceof ArrayLiteral || constant instanceof ObjectLiteral;
    long bytes = hasParts ? ValueSize.shellBytes(value) : ValueSize.roughBytes(value);
    Allowance allowance = Allowance.current();
    if (!allowance.tryKeep(bytes)) {
      return constant;
    }
    long ofParts = 0;
    for (Expression part : parts) {
      ofParts += part instanceof Constant known && known.kept() != null ? known.kept().take() : 0;
    }
    if (!hasParts) {
      allowance.release(ofParts); // they were needed for this value only
      ofParts = 0;
    }
    long kept = ofParts + (Allowance.isSmall(bytes) ? 0 : bytes);
    return new Constant(value, kept == 0 ? null : new Kept(kept));
  }

  /** Whether there is memory to keep so many values in an order of ours. */
  static boolean mayKeepSorted(int count) {
    return Allowance.current().tryKeep(count * ValueSize.SORTED_BYTES);
  }
}
