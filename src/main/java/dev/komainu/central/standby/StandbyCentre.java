package dev.komainu.central.standby;

import dev.komainu.central.api.ConsoleResources;
import dev.komainu.central.api.guard.LimitFilters;
import dev.komainu.central.api.problem.ProblemWriter;
import dev.komainu.central.identity.ServerTls;
import dev.komainu.central.lease.LeaseKeeper;
import dev.komainu.central.limit.BytesInHand;
import dev.komainu.central.limit.Refusals;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.context.PropertyPlaceholderAutoConfiguration;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.tomcat.autoconfigure.servlet.TomcatServletWebServerAutoConfiguration;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.web.context.support.StandardServletEnvironment;

/** The small application that runs until this centre takes the lease. */
@ImportAutoConfiguration({
    PropertyPlaceholderAutoConfiguration.class,
    SslAutoConfiguration.class,
    JacksonAutoConfiguration.class,
    TomcatServletWebServerAutoConfiguration.class,
    DispatcherServletAutoConfiguration.class,
    WebMvcAutoConfiguration.class
})
@Import({
    ConsoleResources.class,
    LimitFilters.class,
    ProblemWriter.class,
    Refusals.class,
    BytesInHand.class
})
public final class StandbyCentre {

    private static final Logger LOG = LoggerFactory.getLogger(StandbyCentre.class);
    private static final Duration EVERY = Duration.ofMillis(500);

    /**
     * Serves and forwards until this centre holds the lease.
     *
     * @param environment settings of this centre
     * @param beans settings and other objects by the names of their beans
     * @param sources further configurations
     * @throws InterruptedException when the thread is interrupted, as at the end of the process
     */
    public static void await(
            ConfigurableEnvironment environment,
            LeaseKeeper keeper,
            Map<String, Object> beans,
            Class<?>... sources)
            throws InterruptedException {
        if (take(keeper)) {
            return;
        }
        LOG.info(
                "Another central service judges: {}. This one forwards requests to it, and takes over when it ends",
                keeper.seen().holder());
        SpringApplication application = new SpringApplication(StandbyCentre.class);
        application.addPrimarySources(List.of(sources));
        StandardServletEnvironment own = new StandardServletEnvironment();
        own.merge(environment);
        application.setEnvironment(own);
        application.setRegisterShutdownHook(true);
        // In place of those of the service, which would wait for the lease again.
        application.setInitializers(List.of(context -> {
            context.getBeanFactory().registerSingleton("leaseKeeper", keeper);
            beans.forEach(context.getBeanFactory()::registerSingleton);
        }));
        try (ConfigurableApplicationContext waiting = application.run()) {
            while (!take(keeper)) {
                Thread.sleep(EVERY);
            }
        }
    }

    private static boolean take(LeaseKeeper keeper) {
        try {
            return keeper.tryTake();
        } catch (SQLException e) {
            LOG.debug("The lease cannot be read: {}", e.toString());
            return false;
        }
    }

    @Bean
    MeterRegistry meters() {
        return new SimpleMeterRegistry();
    }

    @Bean
    FilterRegistrationBean<RequestForwarder> requestForwarder(
            LeaseKeeper keeper, ProblemWriter writer, ObjectProvider<ServerTls> tls) {
        ServerTls own = tls.getIfAvailable();
        FilterRegistrationBean<RequestForwarder> filter = new FilterRegistrationBean<>(
                new RequestForwarder(keeper::seen, writer, own == null ? null : own.peers()));
        filter.setAsyncSupported(true);
        return filter;
    }
}
