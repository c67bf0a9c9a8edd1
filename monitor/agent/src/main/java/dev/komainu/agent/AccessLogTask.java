package dev.komainu.agent;

import dev.komainu.agent.accesslog.LogDialect;
import dev.komainu.agent.accesslog.LogLinePattern;
import dev.komainu.agent.accesslog.ResponseCounts;
import dev.komainu.agent.accesslog.ServiceLog;
import dev.komainu.agent.accesslog.UnreadableFormatException;
import dev.komainu.agent.discovery.DiscoveredServer;
import dev.komainu.agent.discovery.configuration.AccessLogPlace;
import dev.komainu.agent.settings.OutsideSettings;
import dev.komainu.telemetry.record.RecordSink;
import dev.komainu.telemetry.record.SourceStatus;
import java.nio.file.Path;
import java.time.ZoneId;
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
 * Task that reads the access logs of this host's servers, at the paths in their configurations or
 * in the settings. Several logs of one server in the first one's format are read together (virtual
 * hosts); a log in another format is taken for a second copy of the same requests. A log shared by
 * several servers counts for the one at the lowest port, unless its lines contain the port. The
 * agent's thread only.
 */
final class AccessLogTask implements AutoCloseable {

    /** Failed responses in one reading from which a doubt begins. */
    private static final long LEAST_FAILED = 2;

    private static final double FAILED_SHARE = 0.3;

    private final OutsideSettings settings;
    private final RecordSink sink;
    private final TaskProblems troubles;
    private final LongSupplier micros;
    private final Map<String, OpenLog> openLogs = new LinkedHashMap<>();
    /** Responses since the last host sample, by service. */
    private final Map<String, ResponseCounts> responses = new HashMap<>();

    private long late;
    private long skippedBytes;
    private long leftOut;

    /** The logs to read for one service, for comparison with the logs being read. */
    private record LogSelection(int port, List<Path> files, LogDialect dialect, String format) {}

    private record OpenLog(LogSelection selection, ServiceLog log) {}

    AccessLogTask(
            OutsideSettings settings, RecordSink sink, TaskProblems troubles, LongSupplier micros) {
        this.settings = settings;
        this.sink = sink;
        this.troubles = troubles;
        this.micros = micros;
    }

    /** Reports whether there is any log to read. */
    boolean follows() {
        return !openLogs.isEmpty();
    }

    /**
     * Applies the result of a discovery: logs may appear, disappear, or move. Cheap while they are
     * unchanged.
     */
    void update(List<DiscoveredServer> servers) {
        Map<String, LogSelection> selections = selections(servers);
        for (String service : List.copyOf(openLogs.keySet())) {
            OpenLog openLog = openLogs.get(service);
            if (openLog != null && !openLog.selection().equals(selections.get(service))) {
                end(service, openLog);
            }
        }
        selections.forEach((service, selection) -> {
            if (!openLogs.containsKey(service)) {
                begin(service, selection);
            }
        });
    }

    private void begin(String service, LogSelection selection) {
        try {
            LogLinePattern format = LogLinePattern.compile(selection.dialect(), selection.format());
            openLogs.put(
                    service,
                    new OpenLog(
                            selection,
                            new ServiceLog(
                                    service,
                                    selection.port(),
                                    selection.files(),
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

    private void end(String service, OpenLog openLog) {
        openLog.log().finish(micros.getAsLong());
        openLog.log().close();
        late += openLog.log().late();
        skippedBytes += openLog.log().skippedBytes();
        leftOut += openLog.log().leftOutOfConcurrency();
        openLogs.remove(service);
        responses.remove(service);
        troubles.clear("access log of " + service);
    }

    private Map<String, LogSelection> selections(List<DiscoveredServer> servers) {
        Map<String, LogSelection> selections = new LinkedHashMap<>();
        Set<Path> assigned = new HashSet<>();
        for (DiscoveredServer server : servers) {
            LogSelection selection = given(server);
            if (selection == null && settings.readsAccessLogs()) {
                selection = discovered(server);
            }
            if (selection == null) {
                continue;
            }
            boolean namesPort = selection.port() != 0;
            List<Path> own = selection.files().stream()
                    .filter(file -> namesPort || assigned.add(file))
                    .toList();
            if (!own.isEmpty()) {
                selections.put(
                        server.service(),
                        new LogSelection(
                                selection.port(), own, selection.dialect(), selection.format()));
            }
        }
        return selections;
    }

    private @Nullable LogSelection given(DiscoveredServer server) {
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
                : new LogSelection(0, List.copyOf(files), dialect(server, format), format);
    }

    /**
     * Returns the dialect of a named format, which each kind of server writes in its own way: nginx
     * logs the end of a request, Apache the begin.
     */
    private static LogDialect dialect(DiscoveredServer server, String format) {
        if (format.equals("squid") || server.kind().equals("squid")) {
            return LogDialect.SQUID;
        }
        return format.indexOf('$') >= 0
                        || (server.kind().equals("nginx") && format.indexOf('%') < 0)
                ? LogDialect.NGINX
                : LogDialect.APACHE;
    }

    private static @Nullable LogSelection discovered(DiscoveredServer server) {
        List<Path> files = new ArrayList<>();
        AccessLogPlace first = null;
        for (AccessLogPlace place : server.accessLogs()) {
            first = first == null ? place : first;
            if (first.format().equals(place.format()) && first.syntax() == place.syntax()) {
                files.add(place.file(ZonedDateTime.now(ZoneId.systemDefault())));
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
        return new LogSelection(
                namesPort ? server.port() : 0, List.copyOf(files), dialect, first.format());
    }

    private static boolean isOld(@Nullable String version) {
        return version != null && version.matches("[5-9](\\..*)?");
    }

    /**
     * Reads the new lines. Called about once a second.
     *
     * @return services of which many of the new responses failed
     */
    List<String> poll() {
        long now = micros.getAsLong();
        List<String> failing = new ArrayList<>();
        openLogs.forEach((service, openLog) -> {
            String problem = openLog.log().poll(now);
            ResponseCounts fresh = openLog.log().takeResponses();
            responses.merge(service, fresh, ResponseCounts::plus);
            if (fresh.failed() >= LEAST_FAILED && fresh.failed() >= fresh.all() * FAILED_SHARE) {
                failing.add(service);
            }
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
        return failing;
    }

    /**
     * Returns the responses of each service with a readable log since the last call, and resets
     * them.
     */
    Map<String, ResponseCounts> takeResponses() {
        Map<String, ResponseCounts> taken = Map.copyOf(responses);
        responses.clear();
        openLogs.keySet().forEach(service -> responses.put(service, ResponseCounts.NONE));
        return taken;
    }

    /** Returns the counts of data left out since the start, by reason. */
    List<SourceStatus.Drops> drops() {
        Map<String, Long> counts = new HashMap<>();
        counts.put("access-log-late", late);
        counts.put("access-log-behind", skippedBytes);
        counts.put("access-log-concurrency", leftOut);
        for (OpenLog openLog : openLogs.values()) {
            counts.merge("access-log-late", openLog.log().late(), Long::sum);
            counts.merge("access-log-behind", openLog.log().skippedBytes(), Long::sum);
            counts.merge("access-log-concurrency", openLog.log().leftOutOfConcurrency(), Long::sum);
        }
        List<SourceStatus.Drops> drops = new ArrayList<>();
        counts.forEach((reason, count) -> {
            if (count > 0) {
                drops.add(new SourceStatus.Drops(reason, count));
            }
        });
        return drops;
    }

    /** Reports the remaining windows. */
    @Override
    public void close() {
        for (String service : List.copyOf(openLogs.keySet())) {
            OpenLog openLog = openLogs.get(service);
            if (openLog != null) {
                end(service, openLog);
            }
        }
    }
}
