package dev.orrery.server.transfer.source;

import dev.orrery.value.Namespace;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Which collections take part, and what they are called where they arrive. */
public final class NamespaceRules {
  private static final Set<String> INTERNAL = Set.of("config", "local");

  private final @Nullable String database;
  private final @Nullable String collection;
  private final List<NamespacePattern> included = new ArrayList<>();
  private final List<NamespacePattern> excluded = new ArrayList<>();
  private final List<NamespacePattern> from = new ArrayList<>();
  private final List<NamespacePattern> to = new ArrayList<>();

  public NamespaceRules(@Nullable String database, @Nullable String collection) {
    this.database = database;
    this.collection = collection;
  }

  public NamespaceRules including(List<String> patterns) {
    patterns.forEach(pattern -> included.add(new NamespacePattern(pattern)));
    return this;
  }

  public NamespaceRules excluding(List<String> patterns) {
    patterns.forEach(pattern -> excluded.add(new NamespacePattern(pattern)));
    return this;
  }

  public NamespaceRules renaming(List<String> old, List<String> renamed) {
    if (old.size() != renamed.size()) {
      throw new UsageException("--nsFrom and --nsTo come in pairs");
    }
    for (int i = 0; i < old.size(); i++) {
      var source = new NamespacePattern(old.get(i));
      var target = new NamespacePattern(renamed.get(i));
      if (!source.covers(target)) {
        throw new UsageException(
            "--nsTo " + renamed.get(i) + " has variables that --nsFrom " + old.get(i) + " lacks");
      }
      from.add(source);
      to.add(target);
    }
    return this;
  }

  /** Whether a collection of the source takes part; a server's own collections never do. */
  public boolean accept(Namespace namespace) {
    String name = namespace.toString();
    return !isInternal(namespace)
        && (database == null || database.equals(namespace.database()))
        && (collection == null || collection.equals(namespace.collection()))
        && (included.isEmpty() || included.stream().anyMatch(pattern -> pattern.matches(name)))
        && excluded.stream().noneMatch(pattern -> pattern.matches(name));
  }

  static boolean isInternal(Namespace namespace) {
    String name = namespace.collection();
    return INTERNAL.contains(namespace.database())
        || namespace.database().isEmpty()
        || name.startsWith("$admin.")
        || name.startsWith("system.") && !name.equals("system.js");
  }

  /** Why documents that users care about are left out; empty for a server's own. */
  static Optional<String> warning(Namespace namespace) {
    String name = namespace.collection();
    if (name.startsWith("system.buckets.")) {
      return Optional.of(
          namespace
              + " holds a time series packed in buckets, and nothing says how they are packed."
              + " Dump it again, with "
              + name.substring("system.buckets.".length())
              + ".metadata.json.");
    }
    return Optional.empty();
  }

  /** Where a collection of the source goes. */
  public Namespace target(Namespace namespace) throws TransferException {
    for (int i = 0; i < from.size(); i++) {
      String renamed = from.get(i).rename(namespace.toString(), to.get(i));
      if (renamed != null) {
        return parse(renamed);
      }
    }
    return namespace;
  }

  private static Namespace parse(String name) throws TransferException {
    int dot = name.indexOf('.');
    if (dot <= 0 || dot == name.length() - 1) {
      throw new TransferException(
          "--nsTo gives '" + name + "', which is no namespace of the form DATABASE.COLLECTION.");
    }
    return new Namespace(name.substring(0, dot), name.substring(dot + 1));
  }
}
