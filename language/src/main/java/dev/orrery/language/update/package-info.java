/** The update language: operators, replacement documents, pipelines, and what upserts insert. */
package dev.orrery.language.update;
