package dev.orrery.server.auth;

import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;

/** Actions that are allowed on a resource. */
public record Privilege(Resource resource, Set<Action> actions) {
  public Privilege {
    actions = EnumSet.copyOf(actions);
  }

  static Privilege of(Resource resource, Collection<Action> actions) {
    return new Privilege(resource, EnumSet.copyOf(actions));
  }

  boolean allows(Action action, Resource target) {
    return (actions.contains(action) || actions.contains(Action.ANY_ACTION))
        && resource.covers(target);
  }

  public BsonDocument toBson() {
    var names = new BsonArray();
    actions.stream()
        .map(Action::wireName)
        .sorted()
        .forEach(name -> names.add(new BsonString(name)));
    return new BsonDocument("resource", resource.toBson()).append("actions", names);
  }

  /** A stored privilege; an action that this version does not know allows nothing. */
  static Privilege of(BsonDocument document) {
    Set<Action> actions = EnumSet.noneOf(Action.class);
    for (var name : document.getArray("actions")) {
      Action action = Action.find(name.asString().getValue());
      if (action != null) {
        actions.add(action);
      }
    }
    return new Privilege(Resource.of(document.getDocument("resource")), actions);
  }

  public static BsonArray toBson(List<Privilege> privileges) {
    return new BsonArray(privileges.stream().map(Privilege::toBson).toList());
  }
}
