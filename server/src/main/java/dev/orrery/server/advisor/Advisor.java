package dev.orrery.server.advisor;

import dev.orrery.server.throughput.RequestCharge;
import dev.orrery.server.workload.RecordedRequest;
import dev.orrery.value.RawDocument;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * Judges candidates for a partition key by documents and a workload: a sample of both finds the
 * candidates, then each is read once to its end.
 */
public final class Advisor {
  private static final int SAMPLE_DOCUMENTS = 10_000;
  private static final int SAMPLE_REQUESTS = 20_000;

  /** Throughputs that are tried: each a ninth more than the one before. */
  private static final int RATES = 36;

  private static final double RATE_STEP = 1.12;
  private static final int RATE_ROUND = 100;

  private final AdvisorSettings settings;

  /** Where documents or requests come from; can be read again and again. */
  public interface Input<T> {
    /** Gives one after the other, until there are no more or {@code to} has had enough. */
    void read(Predicate<T> to) throws IOException;
  }

  public Advisor(AdvisorSettings settings) {
    this.settings = settings;
  }

  /** What was seen of the workload before it is read. */
  private record Sampled(List<Candidate> candidates, double unitsPerSecond) {}

  /**
   * Reads and judges.
   *
   * @param requests those to the collection
   */
  public KeyAdvice advise(Input<RawDocument> documents, Input<RecordedRequest> requests)
      throws IOException {
    Sampled sampled = sample(documents, requests);
    var sketches = new ArrayList<DocumentSketch>();
    sampled.candidates.forEach(candidate -> sketches.add(new DocumentSketch(candidate)));
    documents.read(
        document -> {
          sketches.forEach(sketch -> sketch.add(document));
          return true;
        });
    sketches.forEach(DocumentSketch::finish);
    var loads = new ArrayList<LoadSketch>();
    List<Long> rates = rates(sampled.unitsPerSecond);
    int partitions = Math.max(settings.partitions(), Scale.partitionsFor(sketches.get(0).bytes()));
    for (DocumentSketch sketch : sketches) {
      Candidate candidate = sampled.candidates.get(loads.size());
      var pricing = new Pricing(candidate, sketch, settings.present());
      loads.add(new LoadSketch(candidate, pricing, partitions, rates));
    }
    var span = new Span();
    var statements = new Statements(settings.present());
    requests.read(
        request -> {
          span.add(request);
          long nanos = TimeUnit.MICROSECONDS.toNanos(request.origin().micros());
          for (Statement statement : statements(statements, request)) {
            for (LoadSketch load : loads) {
              load.add(statement, nanos, request.origin().transaction());
            }
          }
          return true;
        });
    loads.forEach(LoadSketch::finish);
    return judged(sampled.candidates, sketches, loads, span, partitions);
  }

  /** What failed or was refused did nothing; whoever wanted it sent it again. */
  private static List<Statement> statements(Statements statements, RecordedRequest request) {
    return request.outcome().error() == 0 ? statements.of(request) : List.of();
  }

  private Sampled sample(Input<RawDocument> documents, Input<RecordedRequest> requests)
      throws IOException {
    var candidates = new Candidates();
    var count = new int[2];
    documents.read(
        document -> {
          candidates.add(document);
          return ++count[0] < SAMPLE_DOCUMENTS;
        });
    if (count[0] == 0) {
      throw new IOException("there are no documents, so nothing can be said of a key");
    }
    var statements = new Statements(settings.present());
    var span = new Span();
    requests.read(
        request -> {
          span.add(request);
          statements(statements, request).forEach(candidates::add);
          return ++count[1] < SAMPLE_REQUESTS;
        });
    List<Candidate> list = candidates.list(settings.asked(), settings.present());
    if (list.isEmpty()) {
      throw new IOException("no field is in 99 % of the documents and has more than one value");
    }
    return new Sampled(list, span.unitsPerSecond());
  }

  private static List<Long> rates(double unitsPerSecond) {
    var rates = new ArrayList<Long>();
    double rate = Math.max(Scale.UNITS_MIN, 0.8 * unitsPerSecond);
    for (int i = 0; i < RATES; i++) {
      long rounded = (long) Math.ceil(rate / RATE_ROUND) * RATE_ROUND;
      if (rates.isEmpty() || rounded > rates.get(rates.size() - 1)) {
        rates.add(rounded);
      }
      rate *= RATE_STEP;
    }
    return rates;
  }

  private KeyAdvice judged(
      List<Candidate> candidates,
      List<DocumentSketch> sketches,
      List<LoadSketch> loads,
      Span span,
      int partitions) {
    var judge = new Judge(settings, span.seconds());
    var verdicts = new ArrayList<Verdict>();
    for (int i = 0; i < candidates.size(); i++) {
      verdicts.add(judge.of(candidates.get(i), sketches.get(i), loads.get(i)));
    }
    return new KeyAdvice(
        Ranking.bestFirst(verdicts),
        sketches.get(0).documents(),
        sketches.get(0).bytes(),
        span.requests,
        span.seconds(),
        partitions,
        settings.prices());
  }

  /** From when to when requests came, and what they cost. */
  private static final class Span {
    private long requests;
    private long first = Long.MAX_VALUE;
    private long last;
    private double units;

    void add(RecordedRequest request) {
      requests++;
      first = Math.min(first, request.origin().micros());
      last = Math.max(last, request.origin().micros());
      units += new RequestCharge(request.outcome().twentyFirsts()).toDouble();
    }

    double seconds() {
      double micros = requests == 0 ? 0 : last - first;
      return Math.max(1, micros / TimeUnit.SECONDS.toMicros(1));
    }

    double unitsPerSecond() {
      return units / seconds();
    }
  }
}
