package dev.orrery.benchmarks.search;

import dev.orrery.benchmarks.servers.Target;
import dev.orrery.benchmarks.workload.Loading;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonString;

/**
 * Documents of a hundred words under a text index. Words are as frequent as in a language: the n-th
 * comes about one n-th as often as the first. A few more stand in a known number of documents.
 */
final class Words {
  private static final String COLLECTION = "words";
  private static final int WORDS_EACH = 100;
  private static final int VOCABULARY = 100_000;
  private static final String CONSONANTS = "bdfgklmnprtvz";
  private static final String VOWELS = "aiou";

  /** In how many documents the words stand that are searched. */
  private static final List<Integer> POSTINGS = List.of(1, 10, 100, 1000);

  private final Target target;
  private final int count;

  Words(Target target, int count) {
    this.target = target;
    this.count = count;
  }

  void run(int searches) throws IOException {
    var random = new Random(6);
    Loading.insert(
        target,
        COLLECTION,
        count,
        id ->
            new BsonDocument("_id", new BsonInt64(id))
                .append("text", new BsonString(text(id, random))));
    long start = System.nanoTime();
    Loading.index(target, COLLECTION, "text", new BsonString("text"));
    System.out.printf(
        Locale.ROOT,
        "%n%,d documents of %d words, indexed in %d s%n%n%s%n",
        count,
        WORDS_EACH,
        (System.nanoTime() - start) / 1_000_000_000,
        Explained.HEAD);
    for (int postings : POSTINGS) {
      search(postings, searches);
    }
  }

  /** The text of a document: what the language has, and the rare words that are its share. */
  private String text(long id, Random random) {
    var text = new StringBuilder();
    int rare = 0;
    for (int postings : POSTINGS) {
      if (id % Math.max(1, count / postings) == 0
          && id / Math.max(1, count / postings) < postings) {
        text.append(rare(postings)).append(' ');
        rare++;
      }
    }
    for (int i = rare; i < WORDS_EACH; i++) {
      text.append(word((int) Math.pow(VOCABULARY, random.nextDouble()))).append(' ');
    }
    return text.toString();
  }

  private static String rare(int postings) {
    return "x" + word(postings);
  }

  /** A word that no stemmer shortens to another: syllables as digits of a number. */
  private static String word(int number) {
    var word = new StringBuilder();
    int base = CONSONANTS.length() * VOWELS.length();
    for (int rest = number; rest > 0 || word.length() < 4; rest /= base) {
      int digit = rest % base;
      word.append(CONSONANTS.charAt(digit / VOWELS.length()));
      word.append(VOWELS.charAt(digit % VOWELS.length()));
    }
    return word.toString();
  }

  private void search(int postings, int searches) throws IOException {
    String filter = "{$text: {$search: '" + rare(postings) + "'}}";
    List<BsonDocument> finds =
        new ArrayList<>(
            Collections.nCopies(searches, Explained.find(COLLECTION, filter, postings + 1)));
    Explained explained = Explained.of(target, finds);
    System.out.println(explained.row("a word of %,d documents".formatted(postings)));
    if (explained.found() != (long) searches * postings || explained.mostKeys() != postings) {
      throw new IOException("a search reads more, or finds less, than its postings: " + filter);
    }
  }
}
