/** What an import would do: sizes, keys, duplicates, without writing anything. */
package dev.orrery.server.transfer.analysis;
