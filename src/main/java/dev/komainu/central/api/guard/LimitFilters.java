package dev.komainu.central.api.guard;

import dev.komainu.central.api.problem.ProblemWriter;
import dev.komainu.central.limit.BytesInHand;
import dev.komainu.central.limit.LimitedConnections;
import dev.komainu.central.limit.LimitedProtocol;
import dev.komainu.central.limit.Refusals;
import dev.komainu.central.limit.RequestLimit;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.springframework.boot.jackson.autoconfigure.JsonFactoryBuilderCustomizer;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import tools.jackson.core.StreamReadConstraints;

/** The configuration of the limits of connections, bodies and JSON. */
@Configuration(proxyBeanMethods = false)
public class LimitFilters {

    @Bean
    LimitedConnections clientConnections(
            Refusals refusals, GuardSettings settings, MeterRegistry meters) {
        LimitedConnections connections =
                new LimitedConnections(refusals, settings::isTrustedProxy, System::nanoTime);
        Gauge.builder("komainu.connections", connections, LimitedConnections::count)
                .description("Open connections of clients")
                .register(meters);
        return connections;
    }

    @Bean(destroyMethod = "shutdownNow")
    @SuppressWarnings("FutureReturnValueIgnored") // runs until the executor ends
    ScheduledExecutorService connectionDeadlines(LimitedConnections connections) {
        ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(
                Thread.ofPlatform().daemon().name("connection-deadlines").factory());
        timer.scheduleWithFixedDelay(connections::sweep, 1, 1, TimeUnit.SECONDS);
        return timer;
    }

    @Bean
    WebServerFactoryCustomizer<TomcatServletWebServerFactory> limitedConnector(
            LimitedConnections connections) {
        return factory -> {
            factory.setProtocol(LimitedProtocol.class.getName());
            factory.addConnectorCustomizers(connector -> {
                if (connector.getProtocolHandler() instanceof LimitedProtocol protocol) {
                    protocol.use(connections);
                }
            });
        };
    }

    /** Before every other filter, so that no filter reads a body without limits. */
    @Bean
    FilterRegistrationBean<RequestBodyFilter> requestBodyFilter(
            ProblemWriter writer, BytesInHand budget, Refusals refusals) {
        FilterRegistrationBean<RequestBodyFilter> filter = new FilterRegistrationBean<>(
                new RequestBodyFilter(writer, budget, refusals, System::nanoTime));
        filter.setOrder(Ordered.HIGHEST_PRECEDENCE);
        return filter;
    }

    @Bean
    JsonFactoryBuilderCustomizer jsonLimits() {
        return factory -> factory.streamReadConstraints(StreamReadConstraints.builder()
                .maxNestingDepth(RequestLimit.JSON_DEPTH.value())
                .maxStringLength(RequestLimit.JSON_STRING.value())
                .maxNameLength(RequestLimit.JSON_NAME.value())
                .maxNumberLength(RequestLimit.JSON_NUMBER.value())
                .maxDocumentLength(RequestLimit.JSON_DOCUMENT.value())
                .maxTokenCount(RequestLimit.JSON_TOKENS.value())
                .build());
    }
}
