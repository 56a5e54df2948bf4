package dev.orrery.testkit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Tests that use a server. Each gets a database of its own on a server that all tests of the
 * process share, as a parameter: {@code MongoDatabase}, {@code MongoClient}, {@code
 * ConnectionString} (with the database in it), {@link Orrery}.
 */
@Documented
@ExtendWith(OrreryExtension.class)
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface OrreryTest {}
