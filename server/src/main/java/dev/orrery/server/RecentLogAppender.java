package dev.orrery.server;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import dev.orrery.server.command.diagnostic.RecentLog;
import java.time.Instant;
import org.slf4j.LoggerFactory;

/** Copies what is logged to the log that {@code getLog} shows. */
final class RecentLogAppender extends AppenderBase<ILoggingEvent> {
  private static final org.slf4j.Logger SLOW_LOG = EngineBackend.SLOW_LOG;

  private final RecentLog log;
  private Logger root;
  private Logger slow;

  private RecentLogAppender(RecentLog log) {
    this.log = log;
  }

  static RecentLogAppender attach(RecentLog log) {
    var appender = new RecentLogAppender(log);
    if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
      appender.setContext(context);
      appender.start();
      appender.root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
      appender.root.addAppender(appender);
      appender.slow = context.getLogger(SLOW_LOG.getName());
      appender.slow.addAppender(appender);
    }
    return appender;
  }

  void detach() {
    if (root != null) {
      root.detachAppender(this);
      slow.detachAppender(this);
    }
  }

  @Override
  protected void append(ILoggingEvent event) {
    if (event.getLoggerName().equals(SLOW_LOG.getName())) {
      log.add(event.getFormattedMessage());
      return;
    }
    log.add(
        "%s %-5s %s %s"
            .formatted(
                Instant.ofEpochMilli(event.getTimeStamp()),
                event.getLevel(),
                event.getLoggerName(),
                event.getFormattedMessage()));
  }
}
