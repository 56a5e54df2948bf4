/** The log as a feed of changes: what was committed, in order, for those who follow it. */
package dev.orrery.storage.feed;
