package dev.komainu.central.store;

import java.time.Clock;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The configuration of the embedded store. */
@Configuration(proxyBeanMethods = false)
class StoreWiring {

    @Bean(destroyMethod = "close")
    DuckStore recordStore(StoreSettings settings, Clock clock) {
        return new DuckStore(settings, clock);
    }
}
