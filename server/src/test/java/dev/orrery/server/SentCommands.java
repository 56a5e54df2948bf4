package dev.orrery.server;

import com.mongodb.event.CommandListener;
import com.mongodb.event.CommandStartedEvent;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.bson.BsonDocument;

/** What a driver sent, in order, but for how it gets and keeps its connections. */
final class SentCommands implements CommandListener {
  private final List<BsonDocument> all = new CopyOnWriteArrayList<>();

  @Override
  public void commandStarted(CommandStartedEvent event) {
    if (!event.getCommandName().equals("configureFailPoint")) {
      all.add(event.getCommand().clone());
    }
  }

  void clear() {
    all.clear();
  }

  List<BsonDocument> all() {
    return all;
  }

  List<String> names() {
    return all.stream().map(BsonDocument::getFirstKey).toList();
  }

  BsonDocument get(int index) {
    return all.get(index);
  }

  BsonDocument last() {
    return all.get(all.size() - 1);
  }
}
