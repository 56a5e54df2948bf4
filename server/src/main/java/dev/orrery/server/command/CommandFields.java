package dev.orrery.server.command;

import dev.orrery.value.RawDocument;
import dev.orrery.value.RawElements;
import dev.orrery.value.RawValue;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The fields of one document in their order, found by name, and which of them were asked for. */
final class CommandFields {
  private static final int EXPECTED = 12;

  private final @Nullable NameCache known;
  private final byte[] bytes;
  private final RawElements elements;
  private int count;
  private String[] names = new String[EXPECTED];
  private RawValue[] values = new RawValue[EXPECTED];
  private boolean[] used = new boolean[EXPECTED];

  /**
   * A bit for each hash of a name that is there. Commands ask for many fields that nobody sends:
   * most of these questions end here.
   */
  private long present;

  private CommandFields(RawDocument document, @Nullable NameCache known) {
    this.known = known;
    this.bytes = document.bytes();
    this.elements = document.elements();
  }

  /**
   * All fields of a document.
   *
   * @param known has the usual names, so that they need not be decoded; null without
   */
  static CommandFields of(RawDocument document, @Nullable NameCache known) {
    return new CommandFields(document, known).readRest();
  }

  /** The first one alone, which is the command; whether the rest is too large is seen later. */
  static CommandFields beginningOf(RawDocument document, @Nullable NameCache known) {
    var fields = new CommandFields(document, known);
    fields.readNext();
    return fields;
  }

  CommandFields readRest() {
    while (readNext()) {
      continue; // until there is none
    }
    return this;
  }

  private boolean readNext() {
    if (!elements.next()) {
      return false;
    }
    if (count == names.length) {
      names = Arrays.copyOf(names, 2 * count);
      values = Arrays.copyOf(values, 2 * count);
      used = Arrays.copyOf(used, 2 * count);
    }
    if (known == null) {
      names[count] = elements.name();
      present |= bit(names[count]);
    } else {
      NameCache.Entry name = known.name(elements, bytes);
      names[count] = name.text();
      present |= 1L << name.hash();
    }
    values[count++] = elements.value();
    return true;
  }

  private static long bit(String name) {
    return 1L << name.hashCode();
  }

  @Nullable NameCache known() {
    return known;
  }

  int size() {
    return count;
  }

  String name(int index) {
    return names[index];
  }

  RawValue value(int index) {
    return values[index];
  }

  boolean isUsed(int index) {
    return used[index];
  }

  /** Calls the first field by a command's name, also where it came by an alias, and uses it. */
  void beginWith(String command) {
    names[0] = command;
    present |= bit(command);
    used[0] = true; // not every command reads the value of its own field
  }

  /** The value of the first field of that name, which is still to be asked for. */
  @Nullable RawValue peek(String name) {
    for (int i = 0; i < count; i++) {
      if (names[i].equals(name)) {
        return values[i];
      }
    }
    return null;
  }

  /** The value of that name, which is used from now on; {@code path} is that of the document. */
  @Nullable RawValue use(String name, String path) {
    if ((present & bit(name)) == 0) {
      return null;
    }
    RawValue found = null;
    for (int i = 0; i < count; i++) {
      if (names[i].equals(name)) {
        if (found != null) {
          throw FieldErrors.duplicate(CommandReader.join(path, name));
        }
        used[i] = true;
        found = values[i];
      }
    }
    return found;
  }

  /** The names that nobody asked for yet, in order. */
  List<String> unused() {
    var rest = new ArrayList<String>();
    for (int i = 0; i < count; i++) {
      if (!used[i]) {
        rest.add(names[i]);
      }
    }
    return rest;
  }

  void useAll() {
    Arrays.fill(used, true);
  }
}
