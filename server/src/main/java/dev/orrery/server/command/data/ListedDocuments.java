package dev.orrery.server.command.data;

import dev.orrery.language.query.MatchDetails;
import dev.orrery.language.query.Projection;
import dev.orrery.language.query.SortPattern;
import dev.orrery.server.plan.Query;
import dev.orrery.value.RawDocument;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Answers a query from a short list of documents that no collection holds. */
final class ListedDocuments {
  private ListedDocuments() {}

  static List<RawDocument> select(List<RawDocument> documents, Query query) {
    var details = new MatchDetails();
    Stream<RawDocument> selected =
        documents.stream().filter(one -> query.criteria().filter().matches(one, details));
    SortPattern sort = query.order().sort();
    if (sort != null) {
      selected = selected.sorted(Comparator.comparing(sort::key, Arrays::compareUnsigned));
    }
    selected = selected.skip(query.window().skip());
    if (query.window().limit() > 0) {
      selected = selected.limit(query.window().limit());
    }
    Projection projection = query.output().projection();
    return (projection == null ? selected : selected.map(projection::apply)).toList();
  }
}
