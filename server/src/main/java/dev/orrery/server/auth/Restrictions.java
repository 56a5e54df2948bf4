package dev.orrery.server.auth;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/**
 * From where, and over which address of ours, a user may log in: one of the entries must allow it,
 * in all that it says; without entries everything is allowed.
 */
public record Restrictions(List<Entry> entries, BsonArray document) {
  public static final Restrictions NONE = new Restrictions(List.of(), new BsonArray());

  /** One way in; an empty list says nothing. */
  record Entry(List<AddressRange> clients, List<AddressRange> servers) {
    boolean allows(String client, String server) {
      return contains(clients, client) && contains(servers, server);
    }

    private static boolean contains(List<AddressRange> ranges, String address) {
      return ranges.isEmpty() || ranges.stream().anyMatch(range -> range.contains(address));
    }
  }

  public static Restrictions parse(BsonArray document) {
    return new Restrictions(document.stream().map(Restrictions::entry).toList(), document);
  }

  private static Entry entry(BsonValue value) {
    if (!value.isDocument() || value.asDocument().isEmpty()) {
      throw wrong("restriction documents must be objects with at least one condition");
    }
    BsonDocument entry = value.asDocument();
    for (String name : entry.keySet()) {
      if (!name.equals("clientSource") && !name.equals("serverAddress")) {
        throw wrong("unrecognized authentication restriction: " + name);
      }
    }
    return new Entry(ranges(entry, "clientSource"), ranges(entry, "serverAddress"));
  }

  private static List<AddressRange> ranges(BsonDocument entry, String name) {
    BsonValue value = entry.getOrDefault(name, new BsonArray());
    if (!value.isArray() || !value.asArray().stream().allMatch(BsonValue::isString)) {
      throw wrong("'" + name + "' must be an array of strings");
    }
    return value.asArray().stream()
        .map(each -> AddressRange.parse(each.asString().getValue()))
        .toList();
  }

  private static CommandException wrong(String message) {
    return new CommandException(ErrorCode.UNSUPPORTED_FORMAT, message);
  }

  boolean allow(String client, String server) {
    return entries.isEmpty() || entries.stream().anyMatch(each -> each.allows(client, server));
  }

  public boolean isEmpty() {
    return entries.isEmpty();
  }
}
