package dev.orrery.testkit.spring;

import com.mongodb.ConnectionString;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.mongodb.autoconfigure.MongoConnectionDetails;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.testcontainers.service.connection.ContainerConnectionDetailsFactory;
import org.springframework.boot.testcontainers.service.connection.ContainerConnectionSource;

/** What Spring Boot is to know of a container with {@code @ServiceConnection}. */
final class OrreryContainerConnectionDetailsFactory
    extends ContainerConnectionDetailsFactory<OrreryContainer, MongoConnectionDetails> {
  private static final String DATABASE = "test";

  OrreryContainerConnectionDetailsFactory() {
    super(ANY_CONNECTION_NAME, "com.mongodb.ConnectionString");
  }

  @Override
  protected MongoConnectionDetails getContainerConnectionDetails(
      ContainerConnectionSource<OrreryContainer> source) {
    return new Details(source);
  }

  private static final class Details extends ContainerConnectionDetails<OrreryContainer>
      implements MongoConnectionDetails {
    Details(ContainerConnectionSource<OrreryContainer> source) {
      super(source);
    }

    @Override
    public ConnectionString getConnectionString() {
      return new ConnectionString(getContainer().getConnectionString(DATABASE));
    }

    @Override
    public @Nullable SslBundle getSslBundle() {
      return super.getSslBundle();
    }
  }
}
