/** Values: raw BSON bytes and how they are read, written, compared and turned into ordered keys. */
package dev.orrery.value;
