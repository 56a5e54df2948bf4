package dev.orrery.testkit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Refuses requests to a test's database with error 16500 while its method runs, as if its request
 * units were spent: all of them, a share, or the first few.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE})
public @interface Throttled {
  /** From 0 to 1: which share of the requests is refused. */
  double share() default 1;

  /** After how many refusals it ends; negative for never. */
  int times() default -1;

  /** The same seed refuses the same ones of a sequence of requests. */
  long seed() default 0;

  /** What the refusal tells the client to wait. */
  long retryAfterMillis() default 10;
}
