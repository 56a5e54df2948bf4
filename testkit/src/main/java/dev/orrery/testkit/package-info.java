/** Servers inside the process of a test, and an extension for JUnit 5 that hands them out. */
package dev.orrery.testkit;
