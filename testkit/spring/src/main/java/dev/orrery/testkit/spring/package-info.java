/** Orrery for Spring Boot and for Testcontainers; each is needed only by who uses it. */
package dev.orrery.testkit.spring;
