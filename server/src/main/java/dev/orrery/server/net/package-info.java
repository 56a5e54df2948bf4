/** Sockets to requests and replies back to sockets; the only package that sees Netty's channels. */
package dev.orrery.server.net;
