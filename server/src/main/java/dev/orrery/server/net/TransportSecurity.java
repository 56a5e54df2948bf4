package dev.orrery.server.net;

import io.netty.channel.ChannelPipeline;

/** What stands between the socket and the protocol of a new connection. */
public interface TransportSecurity {
  /** Bytes as they are. */
  TransportSecurity NONE = pipeline -> {};

  /** Adds its handlers in front; called once for each connection, on its event loop. */
  void install(ChannelPipeline pipeline);
}
