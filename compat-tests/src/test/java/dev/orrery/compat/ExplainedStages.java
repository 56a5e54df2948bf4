package dev.orrery.compat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The names of the stages of an explained plan, the outermost first, with their indexes. */
final class ExplainedStages {
  private static final Set<String> ASIDE =
      Set.of(
          "rejectedPlans",
          "slotBasedPlan",
          "command",
          "parsedQuery",
          "executionStats",
          "serverInfo",
          "serverParameters",
          "filter",
          "sortPattern",
          "transformBy",
          "indexBounds");

  private final List<Object> names = new ArrayList<>();

  private ExplainedStages() {}

  static List<Object> of(Map<String, Object> reply) {
    var stages = new ExplainedStages();
    if (reply.get("stages") instanceof List<?> pipeline) {
      for (Object stage : pipeline) {
        ((Map<?, ?>) stage)
            .keySet().stream()
                .filter(name -> name.toString().startsWith("$"))
                .forEach(stages.names::add);
        stages.walk(stage);
      }
    } else {
      stages.walk(reply);
    }
    return stages.names;
  }

  private void walk(Object value) {
    if (value instanceof List<?> list) {
      list.forEach(this::walk);
    } else if (value instanceof Map<?, ?> map) {
      if (map.get("stage") instanceof String stage) {
        names.add(map.get("indexName") instanceof String index ? stage + " " + index : stage);
      }
      map.forEach(
          (name, inner) -> {
            if (!ASIDE.contains(name)) {
              walk(inner);
            }
          });
    }
  }
}
