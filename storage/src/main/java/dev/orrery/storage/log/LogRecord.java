package dev.orrery.storage.log;

/**
 * One record: a kind and a meta part that only the log's user understands, and a payload. The
 * arrays are not copied; who makes a record gives them away.
 *
 * @param versionLsn the LSN of the group that brought this version
 */
public record LogRecord(byte kind, long versionLsn, byte[] meta, byte[] payload) {}
