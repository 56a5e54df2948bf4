package dev.orrery.wire;

/** The memory for what one connection receives. Used by the connection's thread. */
public interface MessageRoom {
  /** As much as anybody wants. */
  MessageRoom UNLIMITED =
      new MessageRoom() {
        @Override
        public int lengthMax() {
          return WireLimits.MESSAGE_BYTES_MAX;
        }

        @Override
        public boolean take(int bytes) {
          return true;
        }
      };

  /** The longest message that may come now, packed or not. */
  int lengthMax();

  /** Says how long the message will be that is arriving, if its peer says the truth. */
  default void announce(int length) {}

  /**
   * Takes memory for a message that is arriving, in addition to what was taken for it before; false
   * when there is none left at this time.
   *
   * @throws WireException when the peer is not to have any
   */
  boolean take(int bytes);
}
