/** Changes of collections as a whole: the catalog, index builds, splits and merges. */
package dev.orrery.storage.reshape;
