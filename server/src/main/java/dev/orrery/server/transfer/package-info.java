/** Import and export: files, dump directories and archives, to and from any server by its URI. */
package dev.orrery.server.transfer;
