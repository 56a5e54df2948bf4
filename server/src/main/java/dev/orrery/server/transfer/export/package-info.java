/** What an export writes: dumps, archives, JSON, CSV. */
package dev.orrery.server.transfer.export;
