package dev.orrery.value;

/** Where the values of a compound key end, without decoding them; any collation. */
public final class KeyParts {
  private final byte[] key;
  private int position;
  private int mask;

  private KeyParts(byte[] key, int position, boolean isDescending) {
    this.key = key;
    this.position = position;
    this.mask = isDescending ? 0xFF : 0;
  }

  /** The offset behind the value that begins at {@code start} and was appended in a direction. */
  public static int end(byte[] key, int start, boolean isDescending) {
    var parts = new KeyParts(key, start, isDescending);
    parts.skipValue();
    return parts.position;
  }

  private int readByte() {
    return (key[position++] ^ mask) & 0xFF;
  }

  private void skipValue() {
    int lead = readByte();
    if (lead >= NumberKeys.NAN && lead <= NumberKeys.POSITIVE_LARGE) {
      skipNumber(lead);
      return;
    }
    switch (lead) {
      case KeyEncoder.STRING, KeyEncoder.CODE -> skipText();
      case KeyEncoder.DOCUMENT -> skipDocument();
      case KeyEncoder.ARRAY -> skipArray();
      case KeyEncoder.BINARY -> skipCounted(1);
      case KeyEncoder.OBJECT_ID -> position += 12;
      case KeyEncoder.DATE, KeyEncoder.TIMESTAMP -> position += 8;
      case KeyEncoder.REGEX -> {
        skipText();
        skipText();
      }
      case KeyEncoder.DB_POINTER -> skipCounted(12);
      case KeyEncoder.CODE_WITH_SCOPE -> {
        skipText();
        skipDocument();
      }
      default -> {} // the lead byte is all
    }
  }

  private void skipNumber(int lead) {
    int distance = Math.abs(lead - NumberKeys.ZERO);
    if (lead == NumberKeys.NAN || distance == 0) {
      return;
    }
    boolean isNegative = lead < NumberKeys.ZERO;
    mask ^= isNegative ? 0xFF : 0;
    boolean isByDouble = distance == NumberKeys.SMALL || distance == NumberKeys.LARGE;
    position += isByDouble ? 7 : distance - NumberKeys.SMALL - 1;
    boolean goesOn = (readByte() & 1) != 0;
    if (goesOn && !isByDouble) {
      position += 6;
      goesOn = (readByte() & 1) != 0;
    }
    if (goesOn) {
      position += 2;
      skipText();
    }
    mask ^= isNegative ? 0xFF : 0;
  }

  private void skipText() {
    while (readByte() != KeyBuffer.TERMINATOR) {
      // escapes never hold the terminator
    }
  }

  private void skipDocument() {
    while (readByte() != KeyEncoder.END) {
      skipText();
      skipValue();
    }
  }

  private void skipArray() {
    while (((key[position] ^ mask) & 0xFF) != KeyEncoder.END) {
      skipValue();
    }
    position++;
  }

  private void skipCounted(int more) {
    int length = readByte();
    if (length > KeyEncoder.SHORT_BINARY_MAX) {
      length = 0;
      for (int i = 0; i < 4; i++) {
        length = length << 8 | readByte();
      }
    }
    position += length + more;
  }
}
