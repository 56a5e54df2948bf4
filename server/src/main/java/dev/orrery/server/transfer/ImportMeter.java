package dev.orrery.server.transfer;

import dev.orrery.server.transfer.source.Progress;
import dev.orrery.server.transfer.source.Source;

/** How far an import is. */
record ImportMeter(Importer importer, Source source, BatchWriter writer) implements Progress.Meter {
  @Override
  public String what() {
    return importer.current();
  }

  @Override
  public long documents() {
    return writer.written();
  }

  @Override
  public long bytes() {
    return source.bytesRead();
  }

  @Override
  public long bytesTotal() {
    return source.bytesTotal();
  }
}
