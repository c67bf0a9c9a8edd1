package dev.komainu.central;

import dev.komainu.central.access.IdentityConcerns;
import dev.komainu.central.api.guard.GuardSettings;
import dev.komainu.central.identity.Authority;
import dev.komainu.central.identity.ServerTls;
import dev.komainu.central.identity.ServerTlsSettings;
import dev.komainu.settings.SettingMistakesException;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.ssl.SslBundleRegistrar;
import org.springframework.boot.ssl.SslBundleRegistry;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.Ssl;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * TLS at the service's own address, where its settings ask for it; also while it waits for the
 * lease.
 */
@Configuration(proxyBeanMethods = false)
@Conditional(TlsWiring.Covered.class)
class TlsWiring {

    private static final Logger LOG = LoggerFactory.getLogger(TlsWiring.class);
    /** Directory of the authority below the data directory. */
    static final String AUTHORITY = "authority";

    private static final int CHECK_SECONDS = 60;
    private static final Duration TOLD_BEFORE = Duration.ofDays(21);

    /** The condition that the listening address has TLS. */
    static final class Covered implements Condition {

        @Override
        public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
            return context.getEnvironment() instanceof ConfigurableEnvironment environment
                    && isCovered(environment, CentralSettings.read(environment).tls());
        }
    }

    /** Reports whether the address that the web server listens on has TLS. */
    static boolean isCovered(Environment environment, ServerTlsSettings settings) {
        try {
            return settings.covers(
                    InetAddress.getByName(environment.getProperty("server.address", "0.0.0.0")));
        } catch (UnknownHostException e) {
            return true; // The start fails by this address.
        }
    }

    @Bean
    Authority authority(CentralSettings settings, Clock clock) throws IOException {
        return Authority.open(settings.data().resolve(AUTHORITY), clock);
    }

    @Bean
    ServerTls serverTls(
            Authority authority, CentralSettings settings, GuardSettings guard, Clock clock) {
        try {
            return new ServerTls(authority, settings.tls(), guard.hosts(), clock);
        } catch (IOException e) {
            throw new IllegalStateException(
                    new SettingMistakesException(List.of(String.valueOf(e.getMessage()))));
        }
    }

    @Bean
    SslBundleRegistrar tlsBundle(ServerTls tls) {
        return registry -> registry.registerBundle(ServerTls.BUNDLE, tls.bundle());
    }

    /** A part may show its certificate; a browser has none. */
    @Bean
    WebServerFactoryCustomizer<TomcatServletWebServerFactory> tlsConnector() {
        return factory -> {
            Ssl ssl = Ssl.forBundle(ServerTls.BUNDLE);
            ssl.setClientAuth(Ssl.ClientAuth.WANT);
            factory.setSsl(ssl);
        };
    }

    @Bean(destroyMethod = "close")
    HandshakeFailures handshakeFailures(MeterRegistry meters, Clock clock) {
        return new HandshakeFailures(meters, clock);
    }

    @Bean(destroyMethod = "shutdownNow")
    @SuppressWarnings("FutureReturnValueIgnored") // runs until the executor ends
    ScheduledExecutorService tlsRefresh(
            ServerTls tls,
            SslBundleRegistry registry,
            ObjectProvider<IdentityConcerns> concerns,
            Clock clock) {
        ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(
                Thread.ofPlatform().daemon().name("tls-refresh").factory());
        timer.scheduleWithFixedDelay(
                () -> {
                    refresh(tls, registry);
                    concerns.ifAvailable(each -> tellEnd(tls, each, clock.instant()));
                },
                0,
                CHECK_SECONDS,
                TimeUnit.SECONDS);
        return timer;
    }

    /** The user renews a certificate of another authority; it takes time, so it is told early. */
    private static void tellEnd(ServerTls tls, IdentityConcerns concerns, Instant now) {
        if (tls.ends().minus(TOLD_BEFORE).isBefore(now)) {
            concerns.tell(
                    "central service",
                    IdentityConcerns.Concern.CERTIFICATE_ENDS,
                    "its certificate ends at " + tls.ends(),
                    now);
        }
    }

    private static void refresh(ServerTls tls, SslBundleRegistry registry) {
        try {
            if (tls.refresh()) {
                registry.updateBundle(ServerTls.BUNDLE, tls.bundle());
                LOG.info("Another certificate is in use, until {}", tls.ends());
            }
        } catch (IOException | RuntimeException e) {
            LOG.warn("The certificate stays as it was (until {}): {}", tls.ends(), e.toString());
        }
    }
}
