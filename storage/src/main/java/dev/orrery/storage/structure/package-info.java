/**
 * The files of a partition: keys, slots, ordered indexes; how they are opened, checked, made anew.
 */
package dev.orrery.storage.structure;
