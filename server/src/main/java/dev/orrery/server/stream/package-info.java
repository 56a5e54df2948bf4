/** Change streams: the feed of changes, as events that clients watch. */
package dev.orrery.server.stream;
