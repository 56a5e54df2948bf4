/** Partition keys that the server makes of other fields of a document. */
package dev.orrery.server.synthetic;
