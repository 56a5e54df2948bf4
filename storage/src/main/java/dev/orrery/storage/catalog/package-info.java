/** What exists: collections, views, indexes, partition maps, settings. */
package dev.orrery.storage.catalog;
