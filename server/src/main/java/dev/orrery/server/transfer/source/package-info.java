/** What an import reads: dumps, archives, JSON, CSV; and whose records they are. */
package dev.orrery.server.transfer.source;
