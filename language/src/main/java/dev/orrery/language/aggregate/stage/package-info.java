/** What every stage is made of: documents that stream, a run, memory and what is put away. */
package dev.orrery.language.aggregate.stage;
