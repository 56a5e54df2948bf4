import com.mongodb.MongoException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.IntStream;
import org.bson.Document;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.dao.DataAccessException;
import org.springframework.data.mongodb.MongoDatabaseFactory;
import org.springframework.data.mongodb.MongoTransactionManager;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.data.mongodb.core.SimpleMongoClientDatabaseFactory;
import org.springframework.data.mongodb.core.query.Criteria;
import org.springframework.data.mongodb.core.query.Query;
import org.springframework.data.mongodb.core.query.Update;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;

/** Transactions by Spring's annotation over spring-data-mongodb, one fact a line. */
public final class Spring {
  /** The driver complains when it finds no SLF4J; held here, or the setting could be forgotten. */
  private static final Logger ALL = Logger.getLogger("");

  private Spring() {}

  @Configuration(proxyBeanMethods = false)
  @EnableTransactionManagement
  public static class Settings {}

  public interface Library {
    void add(String title);

    void addAndFail(String title);

    void addTwice(String title);

    String counts();
  }

  public static class MongoLibrary implements Library {
    private static final Query ANN = Query.query(Criteria.where("_id").is("ann"));

    private final MongoTemplate template;

    MongoLibrary(MongoTemplate template) {
      this.template = template;
    }

    @Override
    @Transactional
    public void add(String title) {
      template.insert(new Document("title", title).append("author", "ann"), "books");
      template.updateFirst(ANN, new Update().inc("countOfBooks", 1), "authors");
    }

    @Override
    @Transactional
    public void addAndFail(String title) {
      add(title);
      throw new IllegalStateException("on purpose");
    }

    @Override
    @Transactional
    public void addTwice(String title) {
      add(title);
      add(title + " again");
      System.out.println("inside " + counts());
    }

    @Override
    public String counts() {
      Document author = template.findOne(ANN, Document.class, "authors");
      return template.count(new Query(), "books") + " " + author.getInteger("countOfBooks");
    }
  }

  public static void main(String[] arguments) {
    ALL.setLevel(Level.OFF);
    try (MongoClient client = MongoClients.create(arguments[0]);
        var context = new AnnotationConfigApplicationContext()) {
      var factory = new SimpleMongoClientDatabaseFactory(client, arguments[1]);
      var template = new MongoTemplate(factory);
      context.registerBean(MongoDatabaseFactory.class, () -> factory);
      context.registerBean(
          MongoTransactionManager.class, () -> new MongoTransactionManager(factory));
      context.registerBean(Library.class, () -> new MongoLibrary(template));
      context.register(Settings.class);
      context.refresh();
      template.createCollection("books");
      template.insert(new Document("_id", "ann").append("countOfBooks", 0), "authors");
      show(context.getBean(Library.class));
    }
  }

  private static void show(Library library) {
    library.add("One");
    System.out.println("committed " + library.counts());
    try {
      library.addAndFail("Two");
    } catch (IllegalStateException e) {
      System.out.println("rolled back " + library.counts());
    }
    library.addTwice("Three");
    System.out.println("joined " + library.counts());
    var conflicts = new AtomicInteger();
    CompletableFuture.allOf(
            IntStream.range(0, 4)
                .mapToObj(
                    i -> CompletableFuture.runAsync(() -> addUntilItIsThere(library, i, conflicts)))
                .toArray(CompletableFuture[]::new))
        .join();
    System.out.println("at the same time " + library.counts());
  }

  /** As Spring's own retry would: begins anew as long as the server says that it pays. */
  private static void addUntilItIsThere(Library library, int number, AtomicInteger conflicts) {
    for (; ; ) {
      try {
        library.add("Many " + number);
        return;
      } catch (DataAccessException e) {
        var cause = (MongoException) e.getRootCause();
        if (!cause.hasErrorLabel(MongoException.TRANSIENT_TRANSACTION_ERROR_LABEL)) {
          throw e;
        }
        conflicts.incrementAndGet();
      }
    }
  }
}
