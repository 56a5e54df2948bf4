package dev.orrery.storage.postgres;

import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Reads what is committed, whenever somebody asks. */
record NewestReader(PostgresEngine engine) implements Reader {
  @Override
  public <T> CompletionStage<T> ask(Function<DatabaseSession, T> question) {
    return engine.connections().ask(question);
  }

  @Override
  public <T> T wait(Function<DatabaseSession, T> question) {
    return engine.connections().wait(question);
  }

  @Override
  public @Nullable CollectionState state(PostgresCollection collection) {
    return collection.state();
  }

  @Override
  public boolean refresh(DatabaseSession session) {
    engine.catalog().refresh(session, engine);
    return true;
  }
}
