/** Errors as clients see them: MongoDB's codes, names and words. */
package dev.orrery.language.error;
