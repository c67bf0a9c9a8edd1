package dev.komainu.central.audit.outside;

import dev.komainu.central.access.Audit;
import dev.komainu.central.audit.AuditEntry;
import dev.komainu.central.audit.AuditLog;
import dev.komainu.central.audit.AuditSettings;
import dev.komainu.central.audit.SignedHead;
import dev.komainu.central.order.OrderKeys;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Spring configuration of the copies of the audit log outside. */
@Configuration(proxyBeanMethods = false)
class OutsideWiring {

    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    @Bean
    AuditKeeper auditKeeper(
            AuditLog log,
            Audit audit,
            AuditSettings settings,
            OrderKeys keys,
            JdbcClient jdbc,
            Clock clock,
            MeterRegistry meters) {
        Function<AuditEntry, String> sign =
                entry -> keys.sign(SignedHead.CONTEXT, SignedHead.signed(entry.at(), entry.head()));
        List<AuditFeed> feeds = new ArrayList<>();
        for (AuditSink sink : sinks(settings, clock)) {
            feeds.add(
                    new AuditFeed(sink, log.rows(), jdbc, sign, settings.backlog(), clock, meters));
        }
        return new AuditKeeper(log, audit, settings, keys, clock, feeds);
    }

    private static List<AuditSink> sinks(AuditSettings settings, Clock clock) {
        List<AuditSink> sinks = new ArrayList<>();
        if (settings.syslog() != null) {
            sinks.add(new SyslogSink(settings.syslog(), settings.syslogCa(), TIMEOUT));
        }
        Path secret = settings.webhookSecretFile();
        if (settings.webhook() != null && secret != null) {
            sinks.add(new WebhookSink(settings.webhook(), secret(secret), TIMEOUT, clock));
        }
        return sinks;
    }

    private static String secret(Path file) {
        try {
            return Files.readString(file)
                    .lines()
                    .map(String::strip)
                    .filter(line -> !line.isEmpty())
                    .findFirst()
                    .orElseThrow(
                            () -> new IllegalStateException("komainu.audit.webhook-secret-file: "
                                    + file + ": empty (expected: a secret)"));
        } catch (IOException e) {
            throw new IllegalStateException(
                    "komainu.audit.webhook-secret-file: " + file
                            + ": not read (expected: a readable file)",
                    e);
        }
    }
}
