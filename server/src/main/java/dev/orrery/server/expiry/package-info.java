/** When documents are over, by which index, and how Cosmos DB's {@code _ts} is kept with them. */
package dev.orrery.server.expiry;
