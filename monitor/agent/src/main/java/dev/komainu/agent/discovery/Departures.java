package dev.komainu.agent.discovery;

import dev.komainu.agent.discovery.program.ServerProcess;
import dev.komainu.agent.host.linux.ProcFiles;
import dev.komainu.agent.host.linux.ProcessStat;
import dev.komainu.telemetry.record.HostSample;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The servers that listened and listen no longer: what became of them. A crash leaves nothing; a
 * restart shows as processes of the same program, or as a supervisor that will start it. One thread
 * at a time.
 */
public final class Departures {

    /** Time for which a server is followed after it stopped. */
    private static final long FOLLOWED_MICROS = 600_000_000;

    private static final int MOST_FOLLOWED = 64;
    private static final int MOST_PROCESSES = 8_192;

    private final ProcFiles proc;
    private final ServerSupervisors supervisors;
    private final Map<String, Identity> present = new HashMap<>();
    /** The unit of times in {@code /proc} on Linux. */
    private static final long TICKS_PER_SECOND = 100;

    private static final int MOST_LEVELS = 8;

    /** In the order in which they stopped: with too many, the oldest is left out. */
    private final Map<String, Gone> gone = new LinkedHashMap<>();

    /** Ticks since the start of the system at the last update, when the servers listened. */
    private long listenedTicks;

    /**
     * A server that stopped.
     *
     * @param listenedTicks when it listened last, in ticks since the start of the system
     */
    private record Gone(Identity identity, long sinceMicros, long listenedTicks) {}

    /**
     * A server while it listened.
     *
     * @param processId its top process
     * @param program path of its executable
     * @param commandLine as the kernel reports it
     */
    private record Identity(
            long processId,
            String program,
            String commandLine,
            ServerSupervisors.Supervisor supervisor) {}

    public Departures() {
        this(ProcFiles.ofThisHost());
    }

    /** Creates an empty list over a given {@code /proc}. */
    Departures(ProcFiles proc) {
        this.proc = proc;
        this.supervisors = new ServerSupervisors(proc);
    }

    /** Accepts the servers that listen now. */
    public void update(List<DiscoveredServer> servers) {
        Set<String> now = new HashSet<>();
        for (DiscoveredServer server : servers) {
            Long id = server.processId();
            now.add(server.service());
            gone.remove(server.service());
            Identity known = present.get(server.service());
            if (id == null) {
                present.remove(server.service());
            } else if (known == null || known.processId() != id) {
                String program = proc.link(id + "/exe");
                present.put(
                        server.service(),
                        new Identity(
                                id,
                                program == null ? "" : withoutMark(program),
                                proc.text(id + "/cmdline"),
                                supervisors.of(id)));
            }
        }
        for (Iterator<Map.Entry<String, Identity>> i = present.entrySet().iterator();
                i.hasNext(); ) {
            Map.Entry<String, Identity> entry = i.next();
            if (!now.contains(entry.getKey())) {
                i.remove();
                if (gone.size() == MOST_FOLLOWED) {
                    gone.remove(gone.keySet().iterator().next());
                }
                gone.put(entry.getKey(), new Gone(entry.getValue(), 0, listenedTicks));
            }
        }
        listenedTicks = uptimeTicks();
    }

    /** Returns what is known of the servers that stopped; null when none did. */
    public HostSample.@Nullable Departures read(long nowMicros) {
        gone.replaceAll((service, server) -> server.sinceMicros() == 0
                ? new Gone(server.identity(), nowMicros, server.listenedTicks())
                : server);
        gone.values().removeIf(server -> nowMicros - server.sinceMicros() > FOLLOWED_MICROS);
        if (gone.isEmpty()) {
            return null;
        }
        Map<String, List<Long>> processes = processes();
        Set<Long> listening = new HashSet<>();
        present.values().forEach(identity -> listening.add(identity.processId()));
        List<HostSample.DepartedServer> servers = new ArrayList<>();
        gone.forEach((service, server) -> servers.add(new HostSample.DepartedServer(
                service,
                successors(server, processes, listening),
                supervisors.isAlive(server.identity().supervisor()),
                supervisors.describe(server.identity().supervisor()))));
        return new HostSample.Departures(servers);
    }

    /** Returns the processes of the programs in question. */
    private Map<String, List<Long>> processes() {
        Set<String> programs = new HashSet<>();
        gone.values().forEach(server -> programs.add(server.identity().program()));
        Map<String, List<Long>> found = new HashMap<>();
        List<Long> all = proc.numbersIn(".");
        for (long id : all.subList(0, Math.min(all.size(), MOST_PROCESSES))) {
            String program = proc.link(id + "/exe");
            String plain = program == null ? "" : withoutMark(program);
            if (!plain.isEmpty() && programs.contains(plain)) {
                found.computeIfAbsent(plain, path -> new ArrayList<>()).add(id);
            }
        }
        return found;
    }

    /**
     * Counts the processes that may be a new start: they started after the server listened last and
     * belong to no other server that listens. A program that runs others' code is told by its
     * command line. A server may rewrite its own: its executable suffices, unless both command
     * lines name a configuration file, and not the same one.
     */
    private int successors(Gone server, Map<String, List<Long>> processes, Set<Long> listening) {
        Identity identity = server.identity();
        int count = 0;
        for (long id : processes.getOrDefault(identity.program(), List.of())) {
            String commandLine = proc.text(id + "/cmdline");
            boolean same = RuntimePrograms.isRuntime(identity.program())
                    ? commandLine.equals(identity.commandLine())
                    : !haveDifferentFiles(commandLine, identity.commandLine());
            if (same && isNew(id, server.listenedTicks()) && !isOf(listening, id)) {
                count++;
            }
        }
        return count;
    }

    /** Reports whether both command lines name a configuration file, and not the same one. */
    private static boolean haveDifferentFiles(String one, String other) {
        String first = configurationFile(one);
        String second = configurationFile(other);
        return first != null && second != null && !first.equals(second);
    }

    /**
     * Returns the file after {@code -f} (Apache, HAProxy, Squid, Varnish) or {@code -c} (nginx).
     */
    private static @Nullable String configurationFile(String commandLine) {
        ServerProcess process =
                new ServerProcess(0, null, ServerProcess.split(commandLine), true, null);
        String file = process.option("-f");
        return file != null ? file : process.option("-c");
    }

    /** Reports whether a process started after this time, or its start cannot be read. */
    private boolean isNew(long process, long afterTicks) {
        ProcessStat stat = stat(process);
        return stat == null || stat.startTicks() >= afterTicks;
    }

    /** Reports whether a process or one of its parents is among these servers. */
    private boolean isOf(Set<Long> servers, long process) {
        long id = process;
        for (int level = 0; level < MOST_LEVELS && id > 1; level++) {
            if (servers.contains(id)) {
                return true;
            }
            ProcessStat stat = stat(id);
            id = stat == null ? 0 : stat.parentId();
        }
        return false;
    }

    private @Nullable ProcessStat stat(long process) {
        return ProcessStat.parse(proc.read(process + "/stat"));
    }

    private long uptimeTicks() {
        String text = proc.text("uptime");
        int dot = text.indexOf('.');
        return dot > 0 && text.substring(0, dot).matches("\\d{1,12}")
                ? Long.parseLong(text.substring(0, dot)) * TICKS_PER_SECOND
                : 0;
    }

    /** The kernel marks an executable that was replaced. */
    private static String withoutMark(String program) {
        String mark = " (deleted)";
        return program.endsWith(mark)
                ? program.substring(0, program.length() - mark.length())
                : program;
    }
}
