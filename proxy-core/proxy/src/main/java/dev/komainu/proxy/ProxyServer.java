package dev.komainu.proxy;

import dev.komainu.intermediary.caching.ProxyClock;
import dev.komainu.organizer.report.ReportSink;
import dev.komainu.settings.Configuration;
import dev.komainu.settings.SettingMistakesException;
import dev.komainu.settings.SettingOptions;
import dev.komainu.settings.SettingReader;
import dev.komainu.settings.SettingSource;
import dev.komainu.telemetry.identity.CentralAddresses;
import dev.komainu.telemetry.identity.PartIdentity;
import dev.komainu.telemetry.process.CommandProcess;
import dev.komainu.telemetry.process.ExitCode;
import dev.komainu.telemetry.record.RecordSink;
import dev.komainu.telemetry.report.CentralMetrics;
import dev.komainu.telemetry.report.ProductVersion;
import dev.komainu.telemetry.report.Reporter;
import dev.komainu.telemetry.report.ReporterSettings;
import io.netty.util.internal.PlatformDependent;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The command {@code proxy}: a caching reverse or forward proxy. */
@Command(
        name = "proxy",
        description = "A caching HTTP proxy: reverse (--origin) or forward (--forward --allow).",
        footer = {
            "",
            "Settings also come from --config FILE (YAML) and the environment (cache.memory is KOMAINU_CACHE_MEMORY);",
            "the command line wins, then the environment. All keys: docs/configuration/proxy.md.",
            "SIGHUP reloads them, SIGUSR1 starts a new access log file.",
            "Exit code: 0 after SIGTERM or SIGINT, 2 for invalid settings, 3 when an address is not available."
        })
public final class ProxyServer implements Callable<Integer> {

    @Mixin
    private final SettingOptions options = new SettingOptions(
            SettingReader.declared(ProxySettings::read),
            () -> "Komainu proxy " + ProductVersion.text());

    private final CommandProcess process = new CommandProcess();

    public static void main(String[] args) {
        ProxyServer server = new ProxyServer();
        server.process.run(() -> new CommandLine(server).execute(args));
    }

    @Override
    public Integer call() throws InterruptedException {
        try {
            options.run(
                    SettingSource.environment(System.getenv(), "KOMAINU_"),
                    ProxyServer::read,
                    Proxy::check,
                    this::run);
            return ExitCode.OK;
        } catch (SettingMistakesException e) {
            return ExitCode.report(e.mistakes());
        } catch (IOException e) {
            return ExitCode.report(e);
        }
    }

    private void run(Configuration<ProxySettings> configuration)
            throws IOException, InterruptedException {
        ProxySettings settings = configuration.settings();
        // Until there is something to reload or to rotate, these must not end the process.
        CommandProcess.ignore("HUP");
        CommandProcess.ignore("USR1");
        warmUp(settings.warmUp());
        CentralAddresses central = settings.central();
        if (central == null) {
            serve(configuration, record -> {}, Map::of, null, null, proxy -> {});
            return;
        }
        // Closed last: reports of the drain are sent, or spooled for the next start.
        try (PartIdentity identity = PartIdentity.open(
                        settings.data(), central, settings.names(), settings.enrolmentCode());
                Reporter reporter = new Reporter(
                        ReporterSettings.of(
                                        central,
                                        settings.centralTokenFile(),
                                        settings.names().source(),
                                        settings.data())
                                .withAuthorities(settings.centralAuthorityFile()),
                        identity)) {
            serve(
                    configuration,
                    reporter,
                    reporter::drops,
                    new ReportSink(
                            settings.node(),
                            reporter,
                            () -> reporter.status().lastTrouble() == null,
                            CentralMetrics.of("komainu_proxy_", reporter::status)::page),
                    identity,
                    proxy -> {
                        reporter.onCentralRestart(proxy::reportAgain);
                        reporter.onJudged(proxy::judged);
                    });
        }
    }

    private static void warmUp(Duration time) throws InterruptedException {
        if (time.isZero()) {
            return;
        }
        try {
            PracticeServing.practise(time.toMillis(), false);
        } catch (IOException | SettingMistakesException e) {
            System.err.println(
                    "warm-up: stopped (" + e.getMessage() + "); the proxy starts without it");
        }
    }

    private void serve(
            Configuration<ProxySettings> configuration,
            RecordSink sink,
            Supplier<Map<String, Long>> drops,
            @Nullable ReportSink clusterSink,
            @Nullable PartIdentity identity,
            Consumer<Proxy> started)
            throws IOException, InterruptedException {
        try (Proxy proxy =
                Proxy.start(configuration, ProxyClock.SYSTEM, sink, drops, clusterSink, identity)) {
            started.accept(proxy);
            // A reload may set log.access later.
            CommandProcess.on("USR1", proxy::rotateLog);
            CommandProcess.on("HUP", () -> proxy.reload(false));
            // The process must not end before the drain and the reporter's last batch.
            process.stopOnSignal(
                    () -> proxy.settings().connections().drainTimeout().plusSeconds(15),
                    CommandProcess.StoppedCode.ZERO);
            System.out.println("Komainu proxy "
                    + (proxy.settings().isForward() ? "(forward) " : "(reverse) ") + "listens at "
                    + proxy.addresses().stream()
                            .map(address ->
                                    address.getAddress().getHostAddress() + ":" + address.getPort())
                            .collect(Collectors.joining(" and ")));
            proxy.touchMemory();
            process.awaitStop();
            int cut = proxy.drain();
            System.out.println(
                    "Komainu proxy drained" + (cut == 0 ? "" : ", " + cut + " connections cut"));
        }
    }

    private static ProxySettings read(SettingReader reader) throws SettingMistakesException {
        ProxySettings settings = ProxySettings.read(reader);
        reader.check(problems ->
                settings.cache().checkRoom(PlatformDependent.estimateMaxDirectMemory(), problems));
        reader.finish();
        return settings;
    }
}
