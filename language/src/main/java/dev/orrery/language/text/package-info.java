/** Words of texts as documents and searches write them, and what they score. */
package dev.orrery.language.text;
