/** The clients that drive a server: a lean one over raw sockets, and MongoDB's driver. */
package dev.orrery.benchmarks.client;
