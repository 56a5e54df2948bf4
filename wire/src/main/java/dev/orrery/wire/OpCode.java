package dev.orrery.wire;

/** The kinds of message that are spoken; all others were removed from the protocol. */
public enum OpCode {
  OP_REPLY(1),
  OP_QUERY(2004),
  OP_COMPRESSED(2012),
  OP_MSG(2013);

  private final int number;

  OpCode(int number) {
    this.number = number;
  }

  public int number() {
    return number;
  }

  static OpCode require(int number) {
    return switch (number) {
      case 1 -> OP_REPLY;
      case 2004 -> OP_QUERY;
      case 2012 -> OP_COMPRESSED;
      case 2013 -> OP_MSG;
      default -> throw new WireException("unsupported opcode " + number);
    };
  }
}
