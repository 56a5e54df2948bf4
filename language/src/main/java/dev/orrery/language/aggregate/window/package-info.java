/** Window functions: what $setWindowFields computes of a document's neighbours. */
package dev.orrery.language.aggregate.window;
