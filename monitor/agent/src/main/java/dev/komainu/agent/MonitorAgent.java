package dev.komainu.agent;

import dev.komainu.agent.host.linux.ProcFiles;
import dev.komainu.agent.host.linux.ThreadPriority;
import dev.komainu.agent.settings.AgentSettings;
import dev.komainu.settings.SettingMistakesException;
import dev.komainu.settings.SettingReader;
import dev.komainu.telemetry.process.CommandProcess;
import dev.komainu.telemetry.process.ExitCode;
import dev.komainu.telemetry.report.ProductVersion;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code komainu agent}: watches the web servers of this host from outside (packets) and inside
 * (kernel).
 */
@Command(
        name = "agent",
        sortOptions = false,
        mixinStandardHelpOptions = true,
        versionProvider = MonitorAgent.Version.class,
        description = "Watches the web servers of this host: packets outside, kernel inside.",
        footer = {
            "",
            "Every option is also a key of --config and an environment variable KOMAINU_AGENT_…; see"
                    + " docs/configuration/agent.md.",
            "Exit codes: 0 nobody reads any more, 1 failed, 2 wrong settings, 143 stopped by SIGTERM."
        })
public final class MonitorAgent implements Callable<Integer> {

    @Option(
            names = "--interface",
            paramLabel = "NAME",
            split = ",",
            arity = "1..*",
            description = "capture here (default: loopback and the default route's)")
    private @Nullable List<String> interfaces;

    @Option(
            names = "--port",
            paramLabel = "N",
            split = ",",
            arity = "1..*",
            description = "watch exactly these ports (default: the web servers found)")
    private @Nullable List<String> ports;

    @Option(
            names = "--also-port",
            paramLabel = "N",
            split = ",",
            arity = "1..*",
            description = "watch these ports besides the web servers found")
    private @Nullable List<String> alsoPorts;

    @Option(
            names = "--service",
            paramLabel = "ADDRESS:PORT",
            split = ",",
            arity = "1..*",
            description = "watch servers on other hosts whose traffic passes here")
    private @Nullable List<String> services;

    @Option(names = "--print", description = "records as JSON lines on standard output")
    private boolean print;

    @Option(names = "--host-only", description = "sample the host, read no packets")
    private boolean hostOnly;

    @Option(
            names = "--capture-only",
            description = "read packets, sample nothing: a probe at a mirror port")
    private boolean captureOnly;

    @Option(
            names = "--node",
            paramLabel = "NAME",
            description = "this host's name in the records (default: its host name)")
    private @Nullable String node;

    @Option(names = "--central", paramLabel = "URL", description = "report to this central service")
    private @Nullable String central;

    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            description = "holds a token with scope ingest")
    private @Nullable String tokenFile;

    @Option(
            names = "--data",
            paramLabel = "DIR",
            description = "what cannot be sent yet waits here (default: data/agent)")
    private @Nullable String data;

    @Option(
            names = "--snaplen",
            paramLabel = "BYTES",
            description = "bytes kept of each packet (default: 1024)")
    private @Nullable String snaplen;

    @Option(
            names = "--buffer",
            paramLabel = "SIZE",
            description = "the kernel's ring, such as 64MB (default)")
    private @Nullable String buffer;

    @Option(
            names = "--capture-threads",
            paramLabel = "N",
            description =
                    "threads that read packets, each a part of the connections: 1 (default) to 8")
    private @Nullable String captureThreads;

    @Option(
            names = "--window",
            paramLabel = "LENGTH",
            description = "print windows of this length, such as 10s (default: 1s)")
    private @Nullable String window;

    @Option(
            names = "--mask-clients",
            description = "records show the client's network only: /24 or /48")
    private boolean maskClients;

    @Option(
            names = "--targets",
            paramLabel = "KIND",
            description =
                    "of a request's target records show: full, path (without parameters, default), none")
    private @Nullable String targets;

    @Option(
            names = "--dump",
            paramLabel = "FILE",
            description =
                    "keep the headers of recent packets here and in FILE.1, for evidence (see komainu evidence)")
    private @Nullable String dump;

    @Option(
            names = "--dump-size",
            paramLabel = "SIZE",
            description = "both files together, such as 64MB (default)")
    private @Nullable String dumpSize;

    @Option(
            names = "--dump-payload",
            paramLabel = "BYTES",
            description = "kept behind each TCP header (default: 0, so nothing of what was said)")
    private @Nullable String dumpPayload;

    @Option(
            names = "--access-log",
            paramLabel = "auto|off",
            description =
                    "read the access logs that the servers' configurations name (default: auto)")
    private @Nullable String accessLog;

    @Option(
            names = "--origin-side",
            paramLabel = "PROXY[=ORIGIN]",
            split = ",",
            arity = "1..*",
            description =
                    "what this proxy (ADDRESS:PORT) asks of that server is a service of its own, PROXY>origin")
    private @Nullable List<String> originSides;

    @Option(
            names = "--allow-changes",
            paramLabel = "KEY",
            arity = "0..1",
            fallbackValue = "yes",
            description =
                    "carry out signed orders of the central service; KEY: its order key, or a file holding it"
                            + " (default: no)")
    private @Nullable String allowChanges;

    @Option(names = "--config", paramLabel = "FILE", description = "YAML with these settings")
    private @Nullable Path config;

    @Option(
            names = "--print-settings",
            description = "print all settings as they hold and where they come from, and end")
    private boolean printSettings;

    private final CommandProcess process = new CommandProcess();

    public static void main(String[] arguments) {
        MonitorAgent agent = new MonitorAgent();
        agent.process.run(() -> new CommandLine(agent).execute(arguments));
    }

    @Override
    public Integer call() throws InterruptedException {
        AgentSettings settings;
        try {
            SettingReader reader = AgentSettings.reader(options(), System.getenv(), config);
            settings = AgentSettings.read(reader, hostName());
            if (printSettings) {
                reader.effective().forEach(setting -> System.out.println(setting.line()));
                return ExitCode.OK;
            }
        } catch (SettingMistakesException e) {
            System.err.println(e.getMessage());
            return ExitCode.SETTINGS;
        }
        return run(settings);
    }

    private int run(AgentSettings settings) throws InterruptedException {
        if (settings.samplesHost() && settings.host().yields()) {
            ThreadPriority.lower();
        }
        // The process waits for the last windows and the reporter, and for an order under way,
        // which may be restarting a server.
        Duration patience = Duration.ofSeconds(settings.changes().allowed() ? 100 : 10);
        process.stopOnSignal(() -> patience, CommandProcess.StoppedCode.SIGNAL);
        try (Destination destination = Destination.of(settings);
                RunningAgent agent = new RunningAgent(
                        settings, destination, destination::drops, destination::trouble)) {
            destination.onNewCentre(agent::tellAgain);
            destination.onOrders(agent::takeOrders);
            agent.start();
            // Only what is printed can find its reader gone: no need to wake up and ask otherwise.
            Duration interval = settings.print() ? Duration.ofSeconds(1) : Duration.ofDays(1);
            while (!process.awaitStop(interval) && !destination.isBroken()) {
                // Until told to stop, or nobody reads what is printed.
            }
        } catch (IOException e) {
            System.err.println("data: " + settings.data()
                    + " (expected: a directory of this agent's own; " + e.getMessage() + ")");
            return ExitCode.FAILED;
        }
        return ExitCode.OK;
    }

    private Map<String, String> options() {
        Map<String, String> options = new HashMap<>();
        put(options, "interfaces", interfaces);
        put(options, "ports", ports);
        put(options, "also-ports", alsoPorts);
        put(options, "services", services);
        put(options, "node", node);
        put(options, "central.url", central);
        put(options, "central.token-file", tokenFile);
        put(options, "data", data);
        put(options, "capture.snaplen", snaplen);
        put(options, "capture.buffer", buffer);
        put(options, "capture.threads", captureThreads);
        put(options, "access-log", accessLog);
        put(options, "origin-sides", originSides);
        put(options, "changes.allow", allowChanges);
        put(options, "capture.window", window);
        put(options, "privacy.targets", targets);
        if (maskClients) {
            options.put("privacy.mask-clients", "true");
        }
        put(options, "dump.file", dump);
        put(options, "dump.size", dumpSize);
        put(options, "dump.payload", dumpPayload);
        if (print) {
            options.put("print", "true");
        }
        if (hostOnly || captureOnly) {
            options.put(
                    "mode",
                    hostOnly && captureOnly
                            ? "host-only and capture-only"
                            : hostOnly ? "host-only" : "capture-only");
        }
        return options;
    }

    private static void put(
            Map<String, String> options, String key, @Nullable List<String> values) {
        put(options, key, values == null ? null : String.join(",", values));
    }

    private static void put(Map<String, String> options, String key, @Nullable String value) {
        if (value != null) {
            options.put(key, value);
        }
    }

    private static String hostName() {
        String name = ProcFiles.ofThisHost().text("sys/kernel/hostname").strip();
        if (name.isEmpty()) {
            name = System.getenv()
                    .getOrDefault(
                            "HOSTNAME", System.getenv().getOrDefault("COMPUTERNAME", "localhost"));
        }
        return name;
    }

    static final class Version implements CommandLine.IVersionProvider {
        @Override
        public String[] getVersion() {
            return new String[] {"komainu agent " + ProductVersion.text()};
        }
    }
}
