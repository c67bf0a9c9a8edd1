package dev.komainu.agent;

import dev.komainu.agent.host.linux.ProcFiles;
import dev.komainu.agent.host.linux.ThreadPriority;
import dev.komainu.agent.settings.AgentSettings;
import dev.komainu.settings.SettingMistakesException;
import dev.komainu.settings.SettingOptions;
import dev.komainu.settings.SettingReader;
import dev.komainu.telemetry.identity.CentralAddresses;
import dev.komainu.telemetry.identity.PartIdentity;
import dev.komainu.telemetry.process.CommandProcess;
import dev.komainu.telemetry.process.ExitCode;
import dev.komainu.telemetry.report.ProductVersion;
import java.io.IOException;
import java.net.BindException;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/**
 * The command {@code komainu agent}: it watches the web servers of this host from outside (packets)
 * and inside (kernel).
 */
@Command(
        name = "agent",
        sortOptions = false,
        description =
                "Monitors the web servers of this host: from outside by packets, from inside by the kernel's figures.",
        footer = {
            "",
            "Every option is also a key of --config and an environment variable KOMAINU_AGENT_…; see"
                    + " docs/configuration/agent.md.",
            "Exit codes: 0 the reader of the output has ended, 1 failed, 2 wrong settings, 143 stopped by SIGTERM."
        })
public final class MonitorAgent implements Callable<Integer> {

    @Mixin
    private final SettingOptions options = new SettingOptions(
            SettingReader.declared(MonitorAgent::read),
            () -> "komainu agent " + ProductVersion.text());

    private final CommandProcess process = new CommandProcess();
    private int code = ExitCode.OK;

    public static void main(String[] arguments) {
        MonitorAgent agent = new MonitorAgent();
        agent.process.run(() -> new CommandLine(agent).execute(arguments));
    }

    @Override
    public Integer call() throws InterruptedException {
        try {
            options.run(
                    AgentSettings.environment(System.getenv()),
                    MonitorAgent::read,
                    settings -> {},
                    configuration -> code = run(configuration.settings()));
            return code;
        } catch (SettingMistakesException e) {
            return ExitCode.report(e.mistakes());
        } catch (IOException e) {
            return ExitCode.report(e);
        }
    }

    private static AgentSettings read(SettingReader reader) throws SettingMistakesException {
        return AgentSettings.read(reader, hostName());
    }

    private int run(AgentSettings settings) throws InterruptedException, IOException {
        try (PartIdentity identity = identity(settings)) {
            if (identity != null) {
                // Before signals wait for the command: a wait for the central service ends at once.
                identity.awaitEnrolled();
            }
            return run(settings, identity);
        }
    }

    /** Returns the identity of this agent; null when it reports with a token, or nowhere. */
    private static @Nullable PartIdentity identity(AgentSettings settings) throws IOException {
        CentralAddresses central = settings.central();
        return central == null
                ? null
                : PartIdentity.open(
                        settings.data(), central, settings.names(), settings.enrolmentCode());
    }

    private int run(AgentSettings settings, @Nullable PartIdentity identity)
            throws InterruptedException {
        if (settings.samplesHost() && settings.host().yields()) {
            ThreadPriority.lower();
        }
        // The process waits for the last windows and the reporter, and for an order under way,
        // which may be restarting a server.
        Duration patience = Duration.ofSeconds(settings.changes().allowed() ? 100 : 10);
        process.stopOnSignal(() -> patience, CommandProcess.StoppedCode.SIGNAL);
        try (Destination destination = Destination.of(settings, identity);
                RunningAgent agent = new RunningAgent(
                        settings,
                        identity,
                        destination,
                        destination.ofPackets(),
                        destination::drops,
                        destination::trouble);
                MetricsEndpoint metrics = MetricsEndpoint.open(
                        settings.metrics(), () -> agent.figures(destination.status()))) {
            destination.onNewCentre(agent::tellAgain);
            destination.onOrders(agent::takeOrders);
            destination.onDetailed(agent::detail);
            if (metrics != null) {
                System.err.println("agent: metrics at " + metrics.address());
            }
            agent.start();
            // Only printed records can lose their reader; without --print no periodic check is
            // needed.
            Duration interval = settings.print() ? Duration.ofSeconds(1) : Duration.ofDays(1);
            while (!process.awaitStop(interval) && !destination.isBroken()) {
                // Until a signal, or until the reader of the output has ended.
            }
        } catch (BindException e) {
            System.err.println("metrics.listen: " + settings.metrics()
                    + " (expected: a free address of this host; " + e.getMessage() + ")");
            return ExitCode.FAILED;
        } catch (IOException e) {
            System.err.println("data: " + settings.data()
                    + " (expected: a directory of this agent's own; " + e.getMessage() + ")");
            return ExitCode.FAILED;
        }
        return ExitCode.OK;
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
}
