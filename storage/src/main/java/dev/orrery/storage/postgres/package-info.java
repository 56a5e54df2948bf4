/** The engine on PostgreSQL: everything that is known of SQL, connections and their failures. */
package dev.orrery.storage.postgres;
