/** An engine for tests, as unkind as a network, in memory. */
package dev.orrery.storage.unkind;
