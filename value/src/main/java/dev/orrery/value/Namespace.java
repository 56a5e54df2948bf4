package dev.orrery.value;

import java.util.Objects;

/** A collection's full name: database and collection. */
public record Namespace(String database, String collection) implements Comparable<Namespace> {
  public Namespace {
    Objects.requireNonNull(database);
    Objects.requireNonNull(collection);
  }

  @Override
  public int compareTo(Namespace other) {
    int order = database.compareTo(other.database);
    return order != 0 ? order : collection.compareTo(other.collection);
  }

  /** The form of the protocol: {@code database.collection}. */
  @Override
  public String toString() {
    return database + "." + collection;
  }
}
