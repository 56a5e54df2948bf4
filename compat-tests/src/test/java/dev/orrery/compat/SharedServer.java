package dev.orrery.compat;

import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** An ephemeral {@link PackagedServer} for all tests of a class, running while they do. */
final class SharedServer implements BeforeAllCallback, AfterAllCallback {
  private PackagedServer server;

  @Override
  public void beforeAll(ExtensionContext context) {
    server = PackagedServer.ephemeral();
  }

  @Override
  public void afterAll(ExtensionContext context) {
    server.close();
  }

  int port() {
    return server.port();
  }

  String uri() {
    return server.uri();
  }
}
