/** Aggregation expressions: parsed once into immutable trees, then evaluated per document. */
package dev.orrery.language.expression;
