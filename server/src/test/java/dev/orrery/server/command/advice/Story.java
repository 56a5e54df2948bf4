package dev.orrery.server.command.advice;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.IntFunction;
import java.util.function.UnaryOperator;

/**
 * A collection and the requests to it, of which is known what the key should be.
 *
 * @param documents as JSON
 * @param requests as JSON, to the collection {@code c}
 * @param perSecond how many requests come in a second
 * @param perTransaction how many requests one behind the other are a transaction; 0 for none
 */
record Story(List<String> documents, List<String> requests, int perSecond, int perTransaction) {
  static final int DOCUMENTS = 1_500;
  static final int REQUESTS = 1_200;

  static Story of(IntFunction<String> document, IntFunction<String> request) {
    var documents = new ArrayList<String>();
    for (int i = 0; i < DOCUMENTS; i++) {
      documents.add(document.apply(i));
    }
    var requests = new ArrayList<String>();
    for (int i = 0; i < REQUESTS; i++) {
      requests.add(request.apply(i));
    }
    return new Story(documents, requests, 150, 0);
  }

  Story at(int requestsPerSecond) {
    return new Story(documents, requests, requestsPerSecond, perTransaction);
  }

  Story inTransactionsOf(int count) {
    return new Story(documents, requests, perSecond, count);
  }

  /** The time at which a request comes. */
  long nanos(int request) {
    return request * 1_000_000_000L / perSecond;
  }

  static String find(String filter) {
    return "{find: 'c', filter: " + filter + "}";
  }

  static String latest(String filter) {
    return "{find: 'c', filter: " + filter + ", sort: {_id: -1}, limit: 1}";
  }

  static String insert(String document) {
    return "{insert: 'c', documents: [" + document + "]}";
  }

  static String update(String filter, String update) {
    return "{update: 'c', updates: [{q: " + filter + ", u: " + update + "}]}";
  }

  static String text(int length) {
    return "x".repeat(length);
  }

  /** Numbers of which the smallest come most often, as the law of Zipf has it. */
  static UnaryOperator<Integer> zipf(int values) {
    var random = new Random(7);
    double[] sums = new double[values];
    double sum = 0;
    for (int i = 0; i < values; i++) {
      sum += 1 / Math.pow(i + 1, 0.8);
      sums[i] = sum;
    }
    double all = sum;
    return ignored -> {
      double at = random.nextDouble() * all;
      int i = 0;
      while (sums[i] < at) {
        i++;
      }
      return i;
    };
  }
}
