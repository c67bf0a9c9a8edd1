package dev.komainu.central.api;

import com.sun.management.OperatingSystemMXBean;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.config.MeterFilterReply;
import java.lang.management.ManagementFactory;
import java.util.Map;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * The rules that make the page of the central service satisfy {@code promtool check metrics}: each
 * metric has a help text, and times are in seconds. Libraries name some of the meters.
 */
@Configuration(proxyBeanMethods = false)
class MetricRules {

    /** Help texts of meters that have none of their own, by the name of the meter. */
    private static final Map<String, String> HELP = Map.ofEntries(
            Map.entry("http.server.requests", "Time to respond to requests."),
            Map.entry("http.server.requests.active", "Age of the requests in progress."),
            Map.entry("komainu.ingest.batches", "Received batches by outcome."),
            Map.entry("komainu.ingest.records", "Records of stored batches by type."),
            Map.entry(
                    "komainu.ingest.skipped",
                    "Records and fields of newer senders that this version does not know."),
            Map.entry(
                    "komainu.parts.refused",
                    "Requests with a certificate that is expired, revoked or superseded."),
            Map.entry("komainu.enrolments.refused", "Refused enrolments."),
            Map.entry("komainu.tls.handshakes.failed", "TLS handshakes that failed."),
            Map.entry(
                    "komainu.ingest.foreign",
                    "Reported names that are not those of the credential."),
            Map.entry(
                    "komainu.ingest.refused",
                    "Records left out because a quota was reached, or because they were not the"
                            + " sender's."),
            Map.entry(
                    "komainu.ingest.listener.failures",
                    "Failures of a listener on a stored batch."),
            Map.entry(
                    "komainu.union.windows.lost",
                    "Windows of united sources that were not stored: the store was slow or failed."),
            Map.entry("komainu.recording.batches", "Accepted batches by what the recorder did."),
            Map.entry(
                    "komainu.recording.files.deleted",
                    "Recordings deleted because of their age or size."));

    private static final double NANOS = 1e9;

    /** Sessions of Tomcat, which are not used, and two times that are not in seconds. */
    private static boolean isLeftOut(String name) {
        return name.startsWith("tomcat.sessions.")
                || name.equals("process.cpu.time")
                || name.equals("jvm.compilation.time");
    }

    @Bean
    MeterFilter metricNames() {
        return new MeterFilter() {
            @Override
            public Meter.Id map(Meter.Id id) {
                // A metric must not end with _count unless it is a histogram.
                Meter.Id named =
                        id.getName().equals("system.cpu.count") ? id.withName("system.cpus") : id;
                String help = HELP.get(named.getName());
                return help == null || named.getDescription() != null
                        ? named
                        : new Meter.Id(
                                named.getName(),
                                Tags.of(named.getTags()),
                                named.getBaseUnit(),
                                help,
                                named.getType());
            }

            @Override
            public MeterFilterReply accept(Meter.Id id) {
                return isLeftOut(id.getName()) ? MeterFilterReply.DENY : MeterFilterReply.NEUTRAL;
            }
        };
    }

    /** Publishes the CPU time of the process under the name that Prometheus' own clients use. */
    @Bean
    MeterBinder processCpuSeconds() {
        return registry -> {
            if (ManagementFactory.getOperatingSystemMXBean()
                    instanceof OperatingSystemMXBean system) {
                FunctionCounter.builder(
                                "process.cpu.seconds",
                                system,
                                its -> Math.max(0, its.getProcessCpuTime()) / NANOS)
                        .description("CPU time of the process in seconds.")
                        .register(registry);
            }
        };
    }
}
