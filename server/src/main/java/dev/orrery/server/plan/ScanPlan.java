package dev.orrery.server.plan;

import dev.orrery.server.query.Equalities;
import dev.orrery.server.query.MatchDetails;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.PartitionStore;
import dev.orrery.storage.RecordCursor;
import dev.orrery.storage.StoredDocument;
import dev.orrery.storage.value.FieldPath;
import dev.orrery.storage.value.RawValue;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;

/** Reads by primary key where the filter fixes it, else every document of the collection. */
final class ScanPlan implements QueryPlan {
  private static final FieldPath ID = FieldPath.parse("_id");

  private final Query query;

  ScanPlan(Query query) {
    this.query = query;
  }

  @Override
  public boolean isShort() {
    return primaryKeys() != null;
  }

  /** Where and under which keys the documents are, or null when the filter leaves it open. */
  private List<Lookup> primaryKeys() {
    CollectionStore collection = query.collection();
    var filter = query.criteria().filter();
    if (query.order().sort() != null || !query.criteria().collation().isSimple()) {
      return null;
    }
    List<RawValue> ids = Equalities.fixedValues(filter, ID);
    if (ids == null) {
      return null;
    }
    String path = collection.info().partitionKey();
    List<RawValue> keys =
        path == null
            ? java.util.Collections.singletonList(null)
            : Equalities.fixedValues(filter, FieldPath.parse(path));
    if (keys == null || keys.size() * ids.size() > 100) {
      return null;
    }
    var lookups = new ArrayList<Lookup>();
    for (RawValue key : keys) {
      for (RawValue id : ids) {
        lookups.add(new Lookup(collection.partitionOf(key), collection.primaryKey(key, id)));
      }
    }
    return lookups;
  }

  private record Lookup(PartitionStore partition, byte[] key) {}

  @Override
  public DocumentCursor open(Execution execution) {
    List<Lookup> lookups = primaryKeys();
    Source source = lookups == null ? scan(execution) : lookUp(lookups.iterator(), execution);
    DocumentCursor matches = matching(source, execution);
    if (query.order().sort() != null) {
      matches = sorted(matches);
    }
    return windowed(matches);
  }

  /** Documents before they are matched; null at the end. */
  private interface Source {
    StoredDocument next();
  }

  private Source lookUp(Iterator<Lookup> lookups, Execution execution) {
    return () -> {
      while (lookups.hasNext()) {
        Lookup lookup = lookups.next();
        execution.visit(lookup.partition().id());
        StoredDocument found = lookup.partition().find(lookup.key(), execution.meter());
        if (found != null) {
          return found;
        }
      }
      return null;
    };
  }

  private Source scan(Execution execution) {
    Iterator<PartitionStore> partitions = query.collection().partitions().iterator();
    var current = new RecordCursor[1];
    return () -> {
      for (; ; ) {
        if (current[0] == null) {
          if (!partitions.hasNext()) {
            return null;
          }
          PartitionStore partition = partitions.next();
          execution.visit(partition.id());
          current[0] = partition.scan(query.order().isReverseNatural());
        }
        StoredDocument document = current[0].next(execution.meter());
        if (document != null) {
          return document;
        }
        current[0] = null;
      }
    };
  }

  private DocumentCursor matching(Source source, Execution execution) {
    var details = new MatchDetails();
    var filter = query.criteria().filter();
    return new DocumentCursor() {
      @Override
      public PlanResult next() {
        for (StoredDocument one = source.next(); one != null; one = source.next()) {
          execution.checkInterruption();
          details.reset();
          if (filter.matches(one.document(), details)) {
            return new PlanResult(one.document(), one, details.arrayIndex());
          }
        }
        return null;
      }

      @Override
      public void close() {}
    };
  }

  private DocumentCursor sorted(DocumentCursor matches) {
    record Keyed(byte[] key, PlanResult result) {}
    var all = new ArrayList<Keyed>();
    for (PlanResult one = matches.next(); one != null; one = matches.next()) {
      all.add(new Keyed(query.order().sort().key(one.document()), one));
    }
    all.sort(Comparator.comparing(Keyed::key, Arrays::compareUnsigned));
    Iterator<Keyed> results = all.iterator();
    return new DocumentCursor() {
      @Override
      public PlanResult next() {
        return results.hasNext() ? results.next().result() : null;
      }

      @Override
      public void close() {}
    };
  }

  private DocumentCursor windowed(DocumentCursor matches) {
    Query.Window window = query.window();
    var projection = query.output().projection();
    return new DocumentCursor() {
      private long skipped;
      private long returned;

      @Override
      public PlanResult next() {
        while (skipped < window.skip()) {
          if (matches.next() == null) {
            return null;
          }
          skipped++;
        }
        if (window.limit() > 0 && returned == window.limit()) {
          return null;
        }
        PlanResult result = matches.next();
        if (result == null || projection == null) {
          returned++;
          return result;
        }
        returned++;
        return new PlanResult(
            projection.apply(result.document()), result.stored(), result.arrayIndex());
      }

      @Override
      public void close() {
        matches.close();
      }
    };
  }
}
