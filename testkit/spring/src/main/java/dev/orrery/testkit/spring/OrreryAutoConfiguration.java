package dev.orrery.testkit.spring;

import dev.orrery.testkit.Orrery;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.mongodb.autoconfigure.MongoAutoConfiguration;
import org.springframework.boot.mongodb.autoconfigure.MongoConnectionDetails;
import org.springframework.context.annotation.Bean;

/** Lets an application use the server that is one of its beans. */
@AutoConfiguration(before = MongoAutoConfiguration.class)
@ConditionalOnBean(Orrery.class)
public class OrreryAutoConfiguration {
  @Bean
  @ConditionalOnMissingBean(MongoConnectionDetails.class)
  MongoConnectionDetails orreryConnectionDetails(Orrery server) {
    return new OrreryConnectionDetailsFactory().getConnectionDetails(server);
  }
}
