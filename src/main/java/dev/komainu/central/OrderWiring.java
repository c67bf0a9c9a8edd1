package dev.komainu.central;

import dev.komainu.central.lease.LeaseKeeper;
import dev.komainu.central.order.OrderEpoch;
import dev.komainu.central.order.OrderSettings;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The orders of this service, and the epoch with which they are signed. */
@Configuration(proxyBeanMethods = false)
class OrderWiring {

    @Bean
    OrderSettings orderSettings(CentralSettings settings) {
        return settings.orders();
    }

    /** A service that shares with none takes its lease, too, but need not be told from another. */
    @Bean
    OrderEpoch orderEpoch(CentralSettings settings, ObjectProvider<LeaseKeeper> lease) {
        LeaseKeeper keeper = lease.getIfAvailable();
        long ofLease = keeper != null && settings.lease().shared() ? keeper.epoch() : 0;
        return new OrderEpoch(ofLease + settings.orders().epochOffset());
    }
}
