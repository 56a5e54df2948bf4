package dev.orrery.storage.log;

/**
 * One record: a kind and a meta part that only the log's user understands, and a payload. The
 * arrays are not copied; who makes a record gives them away.
 */
public record LogRecord(byte kind, byte[] meta, byte[] payload) {}
