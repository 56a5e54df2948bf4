package dev.orrery.server.transfer.export;

import com.mongodb.client.MongoClient;
import dev.orrery.server.transfer.source.CollectionMetadata;
import dev.orrery.server.transfer.source.NamespaceRules;
import dev.orrery.server.transfer.source.SourceCollection;
import dev.orrery.server.transfer.source.TransferException;
import dev.orrery.value.Namespace;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.bson.BsonBinary;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.jspecify.annotations.Nullable;

/** What a server has that can be exported: collections and views, with options and indexes. */
public final class ExportCatalog {
  /** Their collections belong to the server. */
  private static final Set<String> INTERNAL = Set.of("admin", "config", "local");

  private final MongoClient client;

  public ExportCatalog(MongoClient client) {
    this.client = client;
  }

  /** Those that the rules accept, sorted by name. */
  public List<SourceCollection> list(NamespaceRules rules, @Nullable String database)
      throws TransferException {
    var found = new ArrayList<SourceCollection>();
    for (String name : databases(database)) {
      for (BsonDocument listed : client.getDatabase(name).listCollections(BsonDocument.class)) {
        var namespace = new Namespace(name, listed.getString("name").getValue());
        if (rules.accept(namespace)) {
          CollectionMetadata metadata = metadata(namespace, listed);
          found.add(new SourceCollection(namespace, metadata, metadata.isSeries()));
        }
      }
    }
    found.sort((a, b) -> a.namespace().compareTo(b.namespace()));
    if (found.isEmpty()) {
      throw new TransferException("There is no such collection on the server.");
    }
    return found;
  }

  private List<String> databases(@Nullable String database) {
    if (database != null) {
      return List.of(database);
    }
    var names = new ArrayList<String>();
    for (String name : client.listDatabaseNames()) {
      if (!INTERNAL.contains(name)) {
        names.add(name);
      }
    }
    return names;
  }

  private CollectionMetadata metadata(Namespace namespace, BsonDocument listed) {
    String type = listed.getString("type", new BsonString("collection")).getValue();
    var indexes = new ArrayList<BsonDocument>();
    if (!type.equals("view")) {
      client
          .getDatabase(namespace.database())
          .getCollection(namespace.collection())
          .listIndexes(BsonDocument.class)
          .into(indexes);
    }
    BsonDocument info = listed.getDocument("info", new BsonDocument());
    return new CollectionMetadata(
        namespace.collection(),
        type,
        listed.getDocument("options", new BsonDocument()),
        indexes,
        info.isBinary("uuid") ? hex(info.getBinary("uuid")) : null);
  }

  private static String hex(BsonBinary uuid) {
    return java.util.HexFormat.of().formatHex(uuid.getData());
  }
}
