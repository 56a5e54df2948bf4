/** Bytes to messages and back: the MongoDB wire protocol. */
package dev.orrery.wire;
