package dev.orrery.server.session;

import java.util.UUID;

/** Which session: the client's {@code lsid}, and the user it belongs to (empty when none). */
public record SessionId(UUID id, String owner) {}
