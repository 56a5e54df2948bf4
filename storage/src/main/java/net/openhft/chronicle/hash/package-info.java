/** One class that Chronicle Map expects in its own package, so that it need not compile it. */
package net.openhft.chronicle.hash;
