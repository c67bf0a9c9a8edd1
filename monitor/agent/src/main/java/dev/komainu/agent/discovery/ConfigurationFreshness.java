package dev.komainu.agent.discovery;

import dev.komainu.agent.discovery.configuration.ConfigurationFile;
import dev.komainu.agent.discovery.program.ServerKind;
import dev.komainu.agent.host.linux.ProcFiles;
import dev.komainu.agent.host.linux.ProcessStat;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Test whether a server can have read its current files. nginx, Apache and HAProxy (on reload) read
 * their files when they start or fork new workers, so a file newer than the youngest process is not
 * read yet and its values are not in force. Squid and Varnish reload without a new process; for
 * them no file is reported as pending.
 */
final class ConfigurationFreshness {

    private static final Set<ServerKind> BY_PROCESS = EnumSet.of(
            ServerKind.NGINX,
            ServerKind.APACHE,
            ServerKind.HAPROXY,
            ServerKind.TOMCAT,
            ServerKind.GUNICORN,
            ServerKind.UWSGI,
            ServerKind.PHP_FPM,
            ServerKind.KOMAINU);

    /**
     * Tolerance: the kernel reports its start time in whole seconds, and a clock adjustment shifts
     * it a little.
     */
    private static final Duration TOLERANCE = Duration.ofSeconds(2);

    private static final long MILLIS_PER_TICK = 10;
    private static final Pattern BOOT = Pattern.compile("^btime (\\d{1,12})$", Pattern.MULTILINE);

    private final ProcFiles proc;

    ConfigurationFreshness(ProcFiles proc) {
        this.proc = proc;
    }

    /** Returns the youngest file if the server cannot have read it yet, else null. */
    @Nullable
    ConfigurationFile pending(ServerKind kind, long processId, List<ConfigurationFile> files) {
        ConfigurationFile youngest = null;
        for (ConfigurationFile file : files) {
            if (youngest == null || file.modified().isAfter(youngest.modified())) {
                youngest = file;
            }
        }
        if (youngest == null || !BY_PROCESS.contains(kind)) {
            return null;
        }
        Instant limit = youngest.modified().minus(TOLERANCE);
        return startedAfter(limit, processId) || workerStartedAfter(limit, processId)
                ? null
                : youngest;
    }

    private boolean workerStartedAfter(Instant limit, long processId) {
        String children = proc.text(processId + "/task/" + processId + "/children");
        for (String child : children.strip().split("\\s+")) {
            if (child.matches("\\d{1,10}") && startedAfter(limit, Long.parseLong(child))) {
                return true;
            }
        }
        return false;
    }

    /**
     * Reports whether the process started after a time. True also when the start time is unknown,
     * so that no file is reported as pending without evidence.
     */
    private boolean startedAfter(Instant limit, long processId) {
        ProcessStat stat = ProcessStat.parse(proc.read(processId + "/stat"));
        Matcher boot = BOOT.matcher(proc.text("stat"));
        if (stat == null || !boot.find()) {
            return true;
        }
        Instant start = Instant.ofEpochSecond(Long.parseLong(String.valueOf(boot.group(1))))
                .plusMillis(stat.startTicks() * MILLIS_PER_TICK);
        return start.isAfter(limit);
    }
}
