/** Maps from keys to record ids: Chronicle Maps that grow, and small ones on the heap. */
package dev.orrery.storage.keyindex;
