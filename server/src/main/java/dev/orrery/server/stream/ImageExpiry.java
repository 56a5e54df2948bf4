package dev.orrery.server.stream;

import dev.orrery.storage.Receipt;
import dev.orrery.storage.StorageEngine;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * How long change streams show what documents were before, as the cluster parameter {@code
 * changeStreamOptions} says. Beyond it an image is as if it had not been kept; its bytes go with
 * the changes themselves.
 */
public final class ImageExpiry {
  /** The cluster parameter, and the field with the seconds. */
  public static final String PARAMETER = "changeStreamOptions";

  public static final String IMAGES = "preAndPostImages";
  public static final String SECONDS = "expireAfterSeconds";

  /** As long as the changes themselves. */
  public static final BsonString OFF = new BsonString("off");

  private static final String KIND = "clusterParameters";
  private static final long MILLIS = 1000;

  private final StorageEngine engine;
  private @Nullable BsonDocument given;
  private volatile long millis = -1;

  public ImageExpiry(StorageEngine engine) {
    this.engine = engine;
  }

  /** What was set, with the time of the change; empty when nothing was. May wait at first. */
  public synchronized BsonDocument given() {
    if (given == null) {
      List<BsonDocument> found = engine.settings(KIND);
      become(found.isEmpty() ? new BsonDocument() : found.get(0));
    }
    return given;
  }

  private void become(BsonDocument document) {
    BsonValue seconds = document.getDocument(IMAGES, new BsonDocument()).get(SECONDS, OFF);
    millis =
        seconds.isNumber()
            ? Math.multiplyExact(seconds.asNumber().longValue(), MILLIS)
            : Long.MAX_VALUE;
    given = document;
  }

  /** Keeps a new setting. */
  public synchronized Receipt change(BsonDocument to) {
    var document = new BsonDocument("_id", new BsonString(PARAMETER));
    document.putAll(to);
    Receipt receipt = engine.putSetting(KIND, document);
    become(document);
    return receipt;
  }

  /** Whether images of a change that is as old as this are shown no more. */
  public boolean isOver(long ageMillis) {
    if (millis < 0) {
      given();
    }
    return ageMillis >= millis;
  }
}
