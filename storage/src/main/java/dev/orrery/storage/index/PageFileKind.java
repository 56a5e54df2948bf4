package dev.orrery.storage.index;

/** What a page file contains; the code is stored in its header and never reused. */
enum PageFileKind {
  BTREE(1),
  SLOTS(2);

  private final int code;

  PageFileKind(int code) {
    this.code = code;
  }

  int code() {
    return code;
  }
}
