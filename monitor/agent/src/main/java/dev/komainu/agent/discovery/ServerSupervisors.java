package dev.komainu.agent.discovery;

import dev.komainu.agent.discovery.program.ServerProcess;
import dev.komainu.agent.host.linux.ProcFiles;
import dev.komainu.agent.host.linux.ProcessStat;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The programs that start servers again when they end, found from a server's parent: a supervisor,
 * a shell that runs a script, or systemd with a unit that says so. Files only; nothing is asked.
 * One thread at a time.
 */
final class ServerSupervisors {

    private static final Set<String> SUPERVISORS = Set.of(
            "supervisord", "runsv", "s6-supervise", "monit", "circusd", "pm2", "god", "supervise");
    private static final Set<String> SHELLS = Set.of("sh", "bash", "dash", "ash", "busybox");

    private final ProcFiles proc;

    /**
     * A server's parent while the server ran.
     *
     * @param processId 0 when the parent could not be read
     * @param restarts whether it starts the server again; absent when that is not known
     * @param unit the systemd unit; absent without one
     */
    record Supervisor(
            long processId,
            long startTicks,
            @Nullable Boolean restarts,
            @Nullable SystemdUnit unit) {

        static final Supervisor UNKNOWN = new Supervisor(0, 0, null, null);
    }

    ServerSupervisors(ProcFiles proc) {
        this.proc = proc;
    }

    Supervisor of(long processId) {
        ProcessStat stat = ProcessStat.parse(proc.read(processId + "/stat"));
        if (stat == null || stat.parentId() == 0) {
            return Supervisor.UNKNOWN;
        }
        long parent = stat.parentId();
        ProcessStat parentStat = ProcessStat.parse(proc.read(parent + "/stat"));
        if (parentStat == null) {
            return Supervisor.UNKNOWN;
        }
        SystemdUnit unit = parentStat.name().equals("systemd")
                ? SystemdUnit.of(proc.text(processId + "/cgroup"), proc.path("1/root"))
                : null;
        Boolean restarts = restarts(parent, parentStat.name());
        if (unit != null) {
            restarts = unit.restarts();
        }
        return new Supervisor(parent, parentStat.startTicks(), restarts, unit);
    }

    private @Nullable Boolean restarts(long parent, String name) {
        if (SUPERVISORS.contains(name)) {
            return true;
        }
        List<String> arguments = ServerProcess.split(proc.text(parent + "/cmdline"));
        if (SHELLS.contains(name)) {
            // An interactive shell has no script.
            return arguments.size() > 1 && !arguments.get(1).equals("-i");
        }
        boolean named = arguments.stream()
                .limit(3)
                .anyMatch(argument ->
                        SUPERVISORS.contains(argument.substring(argument.lastIndexOf('/') + 1)));
        // The first process of the host or of a container adopts orphans and starts nothing.
        if (named) {
            return true;
        }
        return parent == 1 ? Boolean.FALSE : null;
    }

    /** Returns 1 when the supervisor is alive and restarts the server, 0 when not; else null. */
    @Nullable
    Integer isAlive(Supervisor supervisor) {
        if (supervisor.processId() == 0) {
            return null;
        }
        ProcessStat stat = ProcessStat.parse(proc.read(supervisor.processId() + "/stat"));
        if (stat == null || stat.startTicks() != supervisor.startTicks()) {
            return 0;
        }
        Boolean restarts = supervisor.restarts();
        return restarts == null ? null : Integer.valueOf(restarts ? 1 : 0);
    }

    /** Returns the unit and its state; null without a unit. */
    @Nullable
    String describe(Supervisor supervisor) {
        SystemdUnit unit = supervisor.unit();
        return unit == null ? null : unit.describe();
    }
}
