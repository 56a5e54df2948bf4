/** What the server is doing: the connected clients, the request of each, and how to end it. */
package dev.orrery.server.operation;
