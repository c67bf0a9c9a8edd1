package dev.komainu.agent;

import dev.komainu.agent.accesslog.LogDialect;
import dev.komainu.agent.accesslog.LogLinePattern;
import dev.komainu.agent.accesslog.ServiceLog;
import dev.komainu.agent.accesslog.UnreadableFormatException;
import dev.komainu.agent.discovery.DiscoveredServer;
import dev.komainu.agent.discovery.configuration.AccessLogPlace;
import dev.komainu.agent.settings.OutsideSettings;
import dev.komainu.telemetry.record.RecordSink;
import dev.komainu.telemetry.record.SourceStatus;
import java.nio.file.Path;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads the access logs of this host's servers: where their configurations say they are, or where
 * the settings say. Of several logs of one server those in the first one's format are read together
 * (virtual hosts); one in another format is taken for a second copy of the same requests. A log
 * that several servers share counts for the one at the lowest port, unless its lines name the port.
 * The agent's thread only.
 */
final class AccessLogTask implements AutoCloseable {

    private final OutsideSettings settings;
    private final RecordSink sink;
    private final TaskProblems troubles;
    private final LongSupplier micros;
    private final Map<String, Reading> readings = new LinkedHashMap<>();
    private long late;
    private long passedOver;
    private long leftOut;

    /** What is read for one service, to be compared with what should be. */
    private record Wanted(int port, List<Path> files, LogDialect dialect, String format) {}

    private record Reading(Wanted wanted, ServiceLog log) {}

    AccessLogTask(
            OutsideSettings settings, RecordSink sink, TaskProblems troubles, LongSupplier micros) {
        this.settings = settings;
        this.sink = sink;
        this.troubles = troubles;
        this.micros = micros;
    }

    /** Whether there is any log to read. */
    boolean follows() {
        return !readings.isEmpty();
    }

    /**
     * Takes what discovery found: logs come, go, or lie elsewhere now. Cheap while nothing changed.
     */
    void update(List<DiscoveredServer> servers) {
        Map<String, Wanted> wanted = wanted(servers);
        for (String service : List.copyOf(readings.keySet())) {
            Reading reading = readings.get(service);
            if (reading != null && !reading.wanted().equals(wanted.get(service))) {
                end(service, reading);
            }
        }
        wanted.forEach((service, want) -> {
            if (!readings.containsKey(service)) {
                begin(service, want);
            }
        });
    }

    private void begin(String service, Wanted want) {
        try {
            LogLinePattern format = LogLinePattern.compile(want.dialect(), want.format());
            readings.put(
                    service,
                    new Reading(
                            want,
                            new ServiceLog(
                                    service,
                                    want.port(),
                                    want.files(),
                                    format,
                                    micros.getAsLong(),
                                    sink)));
            troubles.clear("access-log format of " + service);
        } catch (UnreadableFormatException e) {
            troubles.set(
                    "access-log format of " + service,
                    "access-log-format",
                    "The access log of " + service + " is not read: " + e.getMessage(),
                    null);
        }
    }

    private void end(String service, Reading reading) {
        reading.log().finish(micros.getAsLong());
        reading.log().close();
        late += reading.log().late();
        passedOver += reading.log().passedOver();
        leftOut += reading.log().leftOutOfConcurrency();
        readings.remove(service);
        troubles.clear("access log of " + service);
    }

    private Map<String, Wanted> wanted(List<DiscoveredServer> servers) {
        Map<String, Wanted> wanted = new LinkedHashMap<>();
        Set<Path> taken = new HashSet<>();
        for (DiscoveredServer server : servers) {
            Wanted want = given(server);
            if (want == null && settings.readsAccessLogs()) {
                want = discovered(server);
            }
            if (want == null) {
                continue;
            }
            boolean namesPort = want.port() != 0;
            List<Path> own = want.files().stream()
                    .filter(file -> namesPort || taken.add(file))
                    .toList();
            if (!own.isEmpty()) {
                wanted.put(
                        server.service(),
                        new Wanted(want.port(), own, want.dialect(), want.format()));
            }
        }
        return wanted;
    }

    private @Nullable Wanted given(DiscoveredServer server) {
        List<Path> files = new ArrayList<>();
        String format = null;
        for (OutsideSettings.GivenLog log : settings.accessLogs()) {
            if (log.service().equals(server.service())
                    || log.service().equals(String.valueOf(server.port()))) {
                format = format == null ? log.format() : format;
                if (format.equals(log.format())) {
                    files.add(log.file());
                }
            }
        }
        return format == null
                ? null
                : new Wanted(0, List.copyOf(files), dialect(server, format), format);
    }

    /**
     * Named formats are written in the server's own way: nginx logs at the end, Apache the begin.
     */
    private static LogDialect dialect(DiscoveredServer server, String format) {
        if (format.equals("squid") || server.kind().equals("squid")) {
            return LogDialect.SQUID;
        }
        return format.indexOf('$') >= 0 || server.kind().equals("nginx") && format.indexOf('%') < 0
                ? LogDialect.NGINX
                : LogDialect.APACHE;
    }

    private static @Nullable Wanted discovered(DiscoveredServer server) {
        List<Path> files = new ArrayList<>();
        AccessLogPlace first = null;
        for (AccessLogPlace place : server.accessLogs()) {
            first = first == null ? place : first;
            if (first.format().equals(place.format()) && first.syntax() == place.syntax()) {
                files.add(place.file(ZonedDateTime.now()));
            }
        }
        if (first == null) {
            return null;
        }
        boolean namesPort = first.format().contains("$server_port")
                || first.format().contains("%{local}p")
                || first.format().contains("%>lp");
        LogDialect dialect = switch (first.syntax()) {
            case NGINX -> LogDialect.NGINX;
            case APACHE -> LogDialect.APACHE;
            case SQUID -> LogDialect.SQUID;
            case TOMCAT -> isOld(server.version()) ? LogDialect.OLD_TOMCAT : LogDialect.TOMCAT;
        };
        return new Wanted(
                namesPort ? server.port() : 0, List.copyOf(files), dialect, first.format());
    }

    private static boolean isOld(@Nullable String version) {
        return version != null && version.matches("[5-9](\\..*)?");
    }

    /** Reads what has come. About once a second. */
    void look() {
        long now = micros.getAsLong();
        readings.forEach((service, reading) -> {
            String problem = reading.log().poll(now);
            if (problem == null) {
                troubles.clear("access log of " + service);
            } else {
                troubles.set(
                        "access log of " + service,
                        "no-access-log",
                        "The access log " + problem,
                        null);
            }
        });
    }

    /** What had to be left out since the start, by reason. */
    List<SourceStatus.Drops> drops() {
        Map<String, Long> counts = new HashMap<>();
        counts.put("access-log-late", late);
        counts.put("access-log-behind", passedOver);
        counts.put("access-log-concurrency", leftOut);
        for (Reading reading : readings.values()) {
            counts.merge("access-log-late", reading.log().late(), Long::sum);
            counts.merge("access-log-behind", reading.log().passedOver(), Long::sum);
            counts.merge("access-log-concurrency", reading.log().leftOutOfConcurrency(), Long::sum);
        }
        List<SourceStatus.Drops> drops = new ArrayList<>();
        counts.forEach((reason, count) -> {
            if (count > 0) {
                drops.add(new SourceStatus.Drops(reason, count));
            }
        });
        return drops;
    }

    /** Tells what is left. */
    @Override
    public void close() {
        for (String service : List.copyOf(readings.keySet())) {
            Reading reading = readings.get(service);
            if (reading != null) {
                end(service, reading);
            }
        }
    }
}
