/** Where the language and storage meet: what storage asks of it, and its failures as errors. */
package dev.orrery.server.store;
