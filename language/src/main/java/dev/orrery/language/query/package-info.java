/** Filters, projections, sort patterns and collations: what a read asks of documents. */
package dev.orrery.language.query;
