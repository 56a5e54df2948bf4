package dev.orrery.server.aggregate;

import dev.orrery.server.expression.Dependencies;
import dev.orrery.server.query.Filter;
import dev.orrery.server.query.FilterContext;
import dev.orrery.server.query.Projection;
import dev.orrery.storage.value.RawDocument;
import dev.orrery.storage.value.RawElements;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.jspecify.annotations.Nullable;

/** Documents of a collection, decoded as far as the stages need them. */
record Decoding(Environment.RawStream raw, Function<RawDocument, BsonDocument> decoder)
    implements DocumentStream {

  static DocumentStream of(Environment.RawStream raw, List<Stage> stages) {
    if (stages.isEmpty()) {
      return new Decoding(raw, RawDocument::asRawBson);
    }
    var dependencies = new Dependencies();
    Pipeline.addDependencies(stages, dependencies);
    if (dependencies.needsWholeDocument()) {
      return new Decoding(raw, RawDocument::toBsonDocument);
    }
    return new Decoding(raw, selecting(dependencies.fields()));
  }

  private static Function<RawDocument, BsonDocument> selecting(Set<String> paths) {
    var names = new HashSet<String>();
    boolean isDeep = false;
    for (String path : paths) {
      int dot = path.indexOf('.');
      names.add(dot < 0 ? path : path.substring(0, dot));
      isDeep |= dot >= 0;
    }
    if (!isDeep) {
      return document -> topLevel(document, names);
    }
    Projection projection = projection(paths);
    return document -> projection.apply(document).toBsonDocument();
  }

  private static BsonDocument topLevel(RawDocument document, Set<String> names) {
    var decoded = new BsonDocument();
    RawElements elements = document.elements();
    while (elements.next() && decoded.size() < names.size()) {
      String name = elements.name();
      if (names.contains(name)) {
        decoded.append(name, elements.value().toBsonValue());
      }
    }
    return decoded;
  }

  private static Projection projection(Set<String> paths) {
    var fields = new BsonDocument();
    for (String path : paths) {
      if (!isCovered(path, paths)) {
        fields.append(path, new BsonInt32(1));
      }
    }
    if (!paths.contains("_id") && paths.stream().noneMatch(path -> path.startsWith("_id."))) {
      fields.append("_id", new BsonInt32(0));
    }
    return Projection.parse(fields, Filter.ALL, FilterContext.DEFAULT);
  }

  /** Whether a path above is read as a whole. */
  private static boolean isCovered(String path, Set<String> paths) {
    for (int dot = path.indexOf('.'); dot >= 0; dot = path.indexOf('.', dot + 1)) {
      if (paths.contains(path.substring(0, dot))) {
        return true;
      }
    }
    return false;
  }

  @Override
  public @Nullable BsonDocument next() {
    RawDocument next = raw.next();
    return next == null ? null : decoder.apply(next);
  }

  @Override
  public void close() {
    raw.close();
  }
}
