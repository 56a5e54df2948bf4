package dev.orrery.compat;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** What a test does with a real client: a row of the table of clients in docs/compat.md. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
@interface Exercises {
  ClientKind client();

  /** In a few words, as the table says it. */
  String what();
}
