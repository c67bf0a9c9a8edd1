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
 * Whether a server can already know what stands in its files. A server that reads them when it
 * starts or when it forks new workers (nginx, Apache, HAProxy on reload) cannot know a file younger
 * than its youngest process; the values told are then not in force yet. Squid and Varnish read anew
 * without a new process: of them nothing is said.
 */
final class ConfigurationFreshness {

    private static final Set<ServerKind> BY_PROCESS = EnumSet.of(
            ServerKind.NGINX,
            ServerKind.APACHE,
            ServerKind.HAPROXY,
            ServerKind.TOMCAT,
            ServerKind.KOMAINU);

    /** The kernel tells its start in whole seconds; a clock that was set moves it a little. */
    private static final Duration BLUR = Duration.ofSeconds(2);

    private static final long MILLIS_PER_TICK = 10;
    private static final Pattern BOOT = Pattern.compile("^btime (\\d{1,12})$", Pattern.MULTILINE);

    private final ProcFiles proc;

    ConfigurationFreshness(ProcFiles proc) {
        this.proc = proc;
    }

    /** The youngest file the server cannot have read yet; null when there is none. */
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
        Instant limit = youngest.modified().minus(BLUR);
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

    /** True also when it cannot be told: nothing is claimed without having been seen. */
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
