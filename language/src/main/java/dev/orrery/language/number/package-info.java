/** Numbers as MongoDB computes with them: promotion, overflow, decimals, sums, texts. */
package dev.orrery.language.number;
