package dev.komainu.agent.order;

import dev.komainu.agent.discovery.DiscoveredServer;
import dev.komainu.agent.discovery.configuration.ConfigurationFile;
import dev.komainu.agent.discovery.program.ProgramOutput;
import dev.komainu.agent.discovery.program.ServerProcess;
import dev.komainu.agent.host.linux.ControlGroupMounts;
import dev.komainu.agent.host.linux.ProcFiles;
import dev.komainu.telemetry.record.Order;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The administration of one running server: checks its configuration with its own program, reloads
 * and restarts it. A server run by systemd is controlled through its unit. Any other server is
 * controlled through its process, and a restart uses its original command line, environment,
 * directory and control groups. A program is run only when no user except root and the agent's own
 * could have put it there, and only for a process of the agent's user. The orders' thread.
 */
final class ServerControl {

    /**
     * A Tomcat checks its files with a separate JVM, which takes half a minute on a host without a
     * free CPU.
     */
    private static final Duration CHECK_LIMIT = Duration.ofSeconds(60);

    private static final Duration STOP_LIMIT = Duration.ofSeconds(60);
    private static final Duration RELOADABLE_LIMIT = Duration.ofSeconds(30);
    private static final Pattern UNIT =
            Pattern.compile("/([A-Za-z0-9@:_.\\\\-]+\\.service)(?:/|$)");
    /** Flags that only start, stop or background a server; left out when it checks its files. */
    private static final Set<String> DAEMON_FLAGS =
            Set.of("-D", "-W", "-Ws", "-db", "-S", "-YC", "-N");

    private final DiscoveredServer server;
    private final ServerProcess process;
    private final String program;
    private final ProcFiles proc;
    // Read while the server runs, so that a stopped server is started again in the same way.
    private final Map<String, String> environment;
    private final @Nullable Path directory;
    private final @Nullable String unit;
    private final List<String> groups;

    private ServerControl(
            DiscoveredServer server, ServerProcess process, String program, ProcFiles proc) {
        this.server = server;
        this.process = process;
        this.program = program;
        this.proc = proc;
        this.environment = environmentOf(proc, process.id());
        String path = process.directory();
        this.directory = path == null || !Files.isDirectory(Path.of(path)) ? null : Path.of(path);
        this.unit = unitOf(proc, process.id());
        List<String> own = groupsOf(proc, "self");
        this.groups = groupsOf(proc, String.valueOf(process.id())).stream()
                .filter(group -> !own.contains(group))
                .toList();
    }

    private static List<String> groupsOf(ProcFiles proc, String process) {
        return ControlGroupMounts.of(proc).places(proc.text(process + "/cgroup")).stream()
                .filter(place -> !place.levels().isEmpty())
                .map(place -> place.levels().getFirst().toString())
                .toList();
    }

    /**
     * Creates the control of a server.
     *
     * @throws OrderRefusedException when the agent must not control this server
     */
    static ServerControl of(DiscoveredServer server, ProcFiles proc) throws OrderRefusedException {
        Long id = server.processId();
        ServerProcess process = id == null ? null : ServerProcess.read(proc, id);
        String program = process == null ? null : process.program();
        if (process == null || program == null) {
            throw OrderRefusedException.untouched(
                    "not-allowed",
                    "process of " + server.service()
                            + ": not visible (expected: an agent run as root)");
        }
        if (!process.sameFiles()) {
            throw OrderRefusedException.untouched(
                    "not-allowed",
                    server.service() + ": runs in a container (expected: on the host itself)");
        }
        if (!ProgramOutput.isTrustworthy(Path.of(program)) || !isOurs(proc, process.id())) {
            throw OrderRefusedException.untouched(
                    "not-allowed",
                    program
                            + ": (expected: a program only root or this agent's user may write, run by that user)");
        }
        String script = script(server.kind(), process);
        if (script != null && !ProgramOutput.isTrustworthy(Path.of(script))) {
            throw OrderRefusedException.untouched(
                    "not-allowed",
                    script + ": (expected: a script only root or this agent's user may write)");
        }
        return new ServerControl(server, process, program, proc);
    }

    /** Returns the script that Python runs for a gunicorn; null when none is named. */
    private static @Nullable String script(String kind, ServerProcess process) {
        if (!kind.equals("gunicorn")) {
            return null;
        }
        String directory = process.directory();
        return process.arguments().stream()
                .skip(1)
                .filter(argument -> argument.matches("(?:.*/)?gunicorn3?"))
                .map(argument -> argument.startsWith("/") ? argument : directory + "/" + argument)
                .findFirst()
                .orElse(null);
    }

    /**
     * Reports whether the agent's user runs the process. A server that temporarily lowered its
     * privileges (Squid) keeps the agent's user as its saved id; only a process started by this
     * user can have it there.
     */
    private static boolean isOurs(ProcFiles proc, long processId) {
        List<String> own = userIds(proc.text("self/status"));
        return own.size() == 3 && userIds(proc.text(processId + "/status")).contains(own.get(1));
    }

    /** Returns the real, effective and saved id; empty when they cannot be read. */
    static List<String> userIds(String status) {
        Matcher line =
                Pattern.compile("(?m)^Uid:\\s+(\\d+)\\s+(\\d+)\\s+(\\d+)\\s").matcher(status);
        return line.find() ? List.of(line.group(1), line.group(2), line.group(3)) : List.of();
    }

    /** Returns the errors its program finds in the current files; null when there are none. */
    @Nullable
    String configurationErrors() {
        List<String> check = check();
        if (check.isEmpty()) {
            return null;
        }
        ProgramRun run = ProgramRun.of(check, environment, directory, CHECK_LIMIT);
        return run.succeeded() ? null : run.output();
    }

    private List<String> check() {
        return switch (server.kind()) {
            case "apache" -> command(arguments(Set.of("-k"), Set.of()), "-t");
            case "nginx" -> command(nginxPlaces(), "-t", "-q");
            case "squid" -> command(flagsWithValues("-f", "-n"), "-k", "parse");
            case "haproxy" ->
                command(arguments(Set.of("-sf", "-st", "-x", "-p"), DAEMON_FLAGS), "-c");
            // Reads the file as Python without executing it, because an execution would run the
            // application's code with the agent's rights.
            case "gunicorn" -> {
                String file = mainFile();
                yield file == null
                        ? List.of()
                        : List.of(
                                program,
                                "-I",
                                "-c",
                                "import ast, sys; ast.parse(open(sys.argv[1], 'rb').read())",
                                file);
            }
            case "php-fpm" -> {
                String file = mainFile();
                yield file == null ? List.of() : List.of(program, "-t", "-y", file);
            }
            case "tomcat" -> {
                List<String> test = command(
                        process.arguments().subList(1, process.arguments().size()));
                boolean starts = !test.isEmpty() && test.getLast().equals("start");
                if (starts) {
                    test.set(test.size() - 1, "configtest");
                }
                yield starts ? test : List.of();
            }
            default -> List.of();
        };
    }

    private @Nullable String mainFile() {
        List<ConfigurationFile> files = server.configuration().files();
        return files.isEmpty() ? null : files.getFirst().path();
    }

    /**
     * Activates a change.
     *
     * @return null on success, else the failure
     */
    @Nullable
    String makeEffective(Order.Then then, BooleanSupplier listens) {
        return switch (then) {
            case NOTHING -> null;
            case RELOAD -> reload();
            case RESTART -> restart(listens);
        };
    }

    private @Nullable String reload() {
        if (unit != null) {
            return failureOf(ProgramRun.of(
                    List.of("systemctl", "reload-or-restart", unit),
                    System.getenv(),
                    null,
                    STOP_LIMIT));
        }
        int signal = switch (server.kind()) {
            case "apache" -> KernelCalls.USR1;
            case "nginx", "squid", "komainu", "gunicorn", "uwsgi" -> KernelCalls.HUP;
            case "php-fpm" -> KernelCalls.USR2;
            case "haproxy" ->
                process.arguments().stream().anyMatch(a -> a.equals("-W") || a.equals("-Ws"))
                        ? KernelCalls.USR2
                        : 0;
            default -> 0;
        };
        if (signal == 0) {
            return server.kind() + ": cannot be reloaded (expected: an order to restart it)";
        }
        // A server that starts, or that executes itself again to reload, ignores the signal until
        // its handler is there (uWSGI) or ends by it.
        if (!waitUntil(() -> catches(signal), RELOADABLE_LIMIT)) {
            return "process " + process.id() + " does not handle signal " + signal
                    + " (expected: within " + RELOADABLE_LIMIT.toSeconds() + " s)";
        }
        return KernelCalls.signal(process.id(), signal)
                ? null
                : "signal " + signal + " to " + process.id() + " failed";
    }

    /** Reports whether the process has a handler for the signal; true when it cannot be read. */
    private boolean catches(int signal) {
        return catches(proc.text(process.id() + "/status"), signal);
    }

    static boolean catches(String status, int signal) {
        Matcher line = Pattern.compile("(?m)^SigCgt:\\s+([0-9a-f]{1,16})$").matcher(status);
        return !line.find()
                || (Long.parseUnsignedLong(line.group(1), 16) >>> (signal - 1) & 1) == 1;
    }

    private @Nullable String restart(BooleanSupplier listens) {
        if (unit != null) {
            String failure = failureOf(ProgramRun.of(
                    List.of("systemctl", "restart", unit), System.getenv(), null, STOP_LIMIT));
            return failure != null
                    ? failure
                    : waitUntil(listens, STOP_LIMIT) ? null : unit + ": does not listen again";
        }
        if (isTitled()) {
            return program
                    + ": its command line was replaced by a title (expected: a systemd unit, or an order to reload it)";
        }
        if (!stop()) {
            return "process " + process.id() + " did not end in " + STOP_LIMIT.toSeconds() + " s";
        }
        String failure = ProgramRun.start(inControlGroups(startCommand()), environment, directory);
        if (failure != null) {
            return failure;
        }
        return waitUntil(listens, STOP_LIMIT) ? null : program + ": does not listen again";
    }

    /**
     * Returns a command that first joins the server's control groups, so that the earlier limits
     * apply again.
     */
    private List<String> inControlGroups(List<String> command) {
        if (groups.isEmpty()) {
            return command;
        }
        List<String> joining = new ArrayList<>(List.of(
                "/bin/sh",
                "-c",
                "while [ \"$1\" != -- ]; do echo $$ > \"$1/cgroup.procs\"; shift; done; shift; exec \"$@\"",
                "sh"));
        joining.addAll(groups);
        joining.add("--");
        joining.addAll(command);
        return joining;
    }

    /**
     * Reports whether the command line is lost. nginx writes its arguments into its title; the
     * others do not.
     */
    private boolean isTitled() {
        String first = process.arguments().isEmpty() ? "" : process.arguments().getFirst();
        return List.of("gunicorn:", "uWSGI", "php-fpm:").contains(first);
    }

    private boolean stop() {
        int signal = switch (server.kind()) {
            case "nginx" -> KernelCalls.QUIT;
            // Without die-on-term, uWSGI 2.0 reloads at TERM.
            case "uwsgi" -> KernelCalls.INTERRUPT;
            default -> KernelCalls.TERM;
        };
        if (isGone()) {
            return true;
        }
        return KernelCalls.signal(process.id(), signal) && waitUntil(this::isGone, STOP_LIMIT);
    }

    /**
     * Reports whether the process has ended. True also for a zombie, whose parent has not read its
     * exit code.
     */
    private boolean isGone() {
        String stat = proc.text(process.id() + "/stat");
        int name = stat.lastIndexOf(") ");
        return stat.isEmpty() || (name > 0 && stat.startsWith("Z", name + 2));
    }

    private static boolean waitUntil(BooleanSupplier done, Duration limit) {
        long end = System.nanoTime() + limit.toNanos();
        while (!done.getAsBoolean()) {
            if (System.nanoTime() > end) {
                return false;
            }
            try {
                Thread.sleep(100);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
        }
        return true;
    }

    private static @Nullable String failureOf(ProgramRun run) {
        return run.succeeded() ? null : run.output();
    }

    /**
     * Returns the systemd unit of the process; null when there is none, or when the agent runs in
     * the same unit.
     */
    private static @Nullable String unitOf(ProcFiles proc, long processId) {
        if (!Files.isDirectory(Path.of("/run/systemd/system"))) {
            return null;
        }
        String unit = unitIn(proc.text(processId + "/cgroup"));
        return unit == null || unit.equals(unitIn(proc.text("self/cgroup"))) ? null : unit;
    }

    private static @Nullable String unitIn(String cgroup) {
        Matcher matcher = UNIT.matcher(cgroup.strip());
        return matcher.find() ? matcher.group(1) : null;
    }

    /** Returns its processes, the top one first. */
    List<Long> processes() {
        List<Long> all = new ArrayList<>(List.of(process.id()));
        for (int i = 0; i < all.size() && all.size() < 10_000; i++) {
            long id = all.get(i);
            for (String child :
                    proc.text(id + "/task/" + id + "/children").strip().split("\\s+")) {
                if (child.matches("\\d{1,10}")) {
                    all.add(Long.parseLong(child));
                }
            }
        }
        return all;
    }

    /**
     * Returns the original command line. nginx rewrites its title, which begins with its name and
     * role.
     */
    private List<String> startCommand() {
        if (!server.kind().equals("nginx")) {
            return command(process.arguments().subList(1, process.arguments().size()));
        }
        List<String> command = command(nginxPlaces());
        Matcher directives = Pattern.compile("(?:^| )-g ?(.*?)(?= -[cepgtTqsvV](?: |$)|$)")
                .matcher(String.join(" ", process.arguments()));
        if (directives.find()) {
            command.add("-g");
            command.add(directives.group(1));
        }
        return command;
    }

    private List<String> nginxPlaces() {
        return flagsWithValues("-p", "-c", "-e");
    }

    /** Returns those of these flags that are set, with their values. */
    private List<String> flagsWithValues(String... flags) {
        List<String> selected = new ArrayList<>();
        for (String flag : flags) {
            String value = process.option(flag);
            if (value != null) {
                selected.add(flag);
                selected.add(value);
            }
        }
        return selected;
    }

    /** Returns the arguments without these flags and their values, and without these switches. */
    private List<String> arguments(Set<String> withValue, Set<String> switches) {
        List<String> selected = new ArrayList<>();
        List<String> all = process.arguments();
        for (int i = 1; i < all.size(); i++) {
            if (withValue.contains(all.get(i))) {
                i++;
            } else if (!switches.contains(all.get(i))) {
                selected.add(all.get(i));
            }
        }
        return selected;
    }

    private List<String> command(List<String> arguments, String... more) {
        List<String> command = new ArrayList<>(List.of(program));
        command.addAll(arguments);
        command.addAll(List.of(more));
        return command;
    }

    private static Map<String, String> environmentOf(ProcFiles proc, long processId) {
        Map<String, String> environment = new LinkedHashMap<>();
        String text = new String(
                proc.text(processId + "/environ").getBytes(StandardCharsets.ISO_8859_1),
                StandardCharsets.UTF_8);
        for (String entry : text.split("\0")) {
            int equals = entry.indexOf('=');
            if (equals > 0) {
                environment.put(entry.substring(0, equals), entry.substring(equals + 1));
            }
        }
        return environment;
    }
}
