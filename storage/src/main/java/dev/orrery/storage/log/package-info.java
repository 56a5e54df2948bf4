/** The append-only log that is the database: atomic groups, group commit, recovery, retention. */
package dev.orrery.storage.log;
