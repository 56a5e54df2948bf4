/** The embedded engine: Chronicle Maps and slots over the log. */
package dev.orrery.storage.chronicle;
