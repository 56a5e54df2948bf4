package dev.orrery.testkit.spring;

import com.mongodb.ConnectionString;
import dev.orrery.testkit.Orrery;
import org.springframework.boot.autoconfigure.service.connection.ConnectionDetailsFactory;
import org.springframework.boot.mongodb.autoconfigure.MongoConnectionDetails;

/** What Spring Boot is to know of a server in the same process. */
final class OrreryConnectionDetailsFactory
    implements ConnectionDetailsFactory<Orrery, MongoConnectionDetails> {
  private static final String DATABASE = "test";

  @Override
  public MongoConnectionDetails getConnectionDetails(Orrery server) {
    ConnectionString uri = server.connectionString(DATABASE);
    return () -> uri;
  }
}
