/** After a crash, and about damage: replay, validation, repair, salvage. */
package dev.orrery.storage.recovery;
