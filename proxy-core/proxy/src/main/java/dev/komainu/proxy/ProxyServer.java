package dev.komainu.proxy;

import dev.komainu.intermediary.caching.ProxyClock;
import dev.komainu.intermediary.control.ControlSettings;
import dev.komainu.organizer.report.ReportSink;
import dev.komainu.proxy.cache.CacheSettings;
import dev.komainu.proxy.disk.DiskSettings;
import dev.komainu.settings.Configuration;
import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingMistakesException;
import dev.komainu.settings.SettingReader;
import dev.komainu.settings.SettingSource;
import dev.komainu.settings.SettingTree;
import dev.komainu.settings.SettingsFile;
import dev.komainu.telemetry.process.CommandProcess;
import dev.komainu.telemetry.process.ExitCode;
import dev.komainu.telemetry.record.RecordSink;
import dev.komainu.telemetry.report.ProductVersion;
import dev.komainu.telemetry.report.Reporter;
import dev.komainu.telemetry.report.ReporterSettings;
import io.netty.util.internal.PlatformDependent;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command {@code proxy}: a caching reverse or forward proxy. */
@Command(
        name = "proxy",
        mixinStandardHelpOptions = true,
        versionProvider = ProxyServer.Version.class,
        description = "A caching HTTP proxy: reverse (--origin) or forward (--forward --allow).",
        footer = {
            "",
            "Settings also come from --config FILE (YAML) and the environment (cache.memory is KOMAINU_CACHE_MEMORY);",
            "the command line wins, then the environment. All keys: docs/configuration/proxy.md.",
            "SIGHUP reads all of them again, SIGUSR1 begins the access log anew.",
            "Exit code: 0 after SIGTERM or SIGINT, 2 for mistakes in settings, 3 when the address cannot be had."
        })
public final class ProxyServer implements Callable<Integer> {

    private static final String CONTROL = "127.0.0.1:7681";

    @Option(
            names = "--listen",
            paramLabel = "ADDR:PORT",
            description = "Where clients come in (127.0.0.1:7680).")
    private @Nullable String listen;

    @Option(
            names = "--origin",
            paramLabel = "URL",
            description = "Reverse: the server behind, http://HOST[:PORT].")
    private @Nullable String origin;

    @Option(names = "--forward", description = "Forward: serve absolute targets and CONNECT.")
    private boolean forward;

    @Option(
            names = "--allow",
            paramLabel = "CIDR",
            description = "Forward: who may use it; repeatable.")
    private List<String> allow = new ArrayList<>();

    @Option(
            names = "--memory",
            paramLabel = "SIZE",
            description = "Cap of the memory cache (64MB).")
    private @Nullable String memory;

    @Option(
            names = "--disk",
            paramLabel = "DIR:SIZE",
            description = "Second place of stored answers (none).")
    private @Nullable String disk;

    @Option(names = "--workers", paramLabel = "N", description = "Event loops (one per processor).")
    private @Nullable String workers;

    @Option(names = "--config", paramLabel = "FILE", description = "Settings as YAML.")
    private @Nullable Path config;

    @Option(
            names = "--control",
            paramLabel = "ADDR:PORT",
            arity = "0..1",
            fallbackValue = CONTROL,
            description = "Health, metrics and orders; 'none' for no endpoint (127.0.0.1:7681).")
    private @Nullable String control;

    @Option(
            names = "--control-token-file",
            paramLabel = "FILE",
            description = "Token for the control endpoint's writes.")
    private @Nullable String controlTokenFile;

    @Option(names = "--central", paramLabel = "URL", description = "Central service to report to.")
    private @Nullable String central;

    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            description = "Ingest token for the central service.")
    private @Nullable String tokenFile;

    @Option(
            names = "--data",
            paramLabel = "DIR",
            description = "Where reports wait while the central service is away (data/proxy-PORT).")
    private @Nullable String data;

    @Option(names = "--check", description = "Check the settings, tell every mistake, and end.")
    private boolean check;

    @Option(
            names = "--print-settings",
            description = "Print all settings as they hold and where they come from, and end.")
    private boolean printSettings;

    private final CommandProcess process = new CommandProcess();

    public static void main(String[] args) {
        ProxyServer server = new ProxyServer();
        server.process.run(() -> new CommandLine(server).execute(args));
    }

    @Override
    public Integer call() throws InterruptedException {
        Configuration<ProxySettings> configuration;
        try {
            if (printSettings) {
                SettingReader reader = new SettingReader(sources());
                read(reader);
                reader.effective().forEach(setting -> System.out.println(setting.line()));
                return 0;
            }
            configuration = Configuration.read(this::sources, ProxyServer::read);
        } catch (SettingMistakesException e) {
            return ExitCode.report(e.mistakes());
        }
        try {
            if (check) {
                Proxy.check(configuration.settings());
                System.out.println("The settings are in order");
            } else {
                run(configuration);
            }
            return ExitCode.OK;
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
        URI central = settings.centralUrl();
        if (central == null) {
            serve(configuration, record -> {}, Map::of, null, proxy -> {});
            return;
        }
        // Closed last: what the drain still reports is sent, or spooled for the next start.
        try (Reporter reporter = new Reporter(ReporterSettings.of(
                central,
                settings.centralTokenFile(),
                "proxy@" + settings.node() + ":" + settings.firstListen().getPort(),
                settings.data()))) {
            serve(
                    configuration,
                    reporter,
                    reporter::drops,
                    new ReportSink(
                            settings.node(),
                            reporter,
                            () -> reporter.status().lastTrouble() == null),
                    proxy -> {
                        reporter.onCentralRestart(proxy::tellAgain);
                        reporter.onJudged(proxy::judged);
                    });
        }
    }

    private static void warmUp(Duration time) throws InterruptedException {
        if (time.isZero()) {
            return;
        }
        try {
            PracticeServing.practise(time.toMillis());
        } catch (IOException | SettingMistakesException e) {
            System.err.println(
                    "warm-up: broken off (" + e.getMessage() + "); serving begins all the same");
        }
    }

    private void serve(
            Configuration<ProxySettings> configuration,
            RecordSink sink,
            Supplier<Map<String, Long>> drops,
            @Nullable ReportSink outlet,
            Consumer<Proxy> begun)
            throws IOException, InterruptedException {
        try (Proxy proxy = Proxy.start(configuration, ProxyClock.SYSTEM, sink, drops, outlet)) {
            begun.accept(proxy);
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
                            .map(at -> at.getAddress().getHostAddress() + ":" + at.getPort())
                            .collect(Collectors.joining(" and ")));
            proxy.reserveMemory();
            process.awaitStop();
            int cut = proxy.drain();
            System.out.println(
                    "Komainu proxy drained" + (cut == 0 ? "" : ", " + cut + " connections cut"));
        }
    }

    /** As written now, in all places. */
    private List<SettingSource> sources() throws SettingMistakesException {
        Map<String, String> line = new LinkedHashMap<>();
        put(line, ProxySettings.LISTEN, listen);
        put(line, ProxySettings.ORIGIN, origin);
        put(line, ProxySettings.FORWARD, forward ? "true" : null);
        put(line, ProxySettings.ALLOW, allow.isEmpty() ? null : String.join(",", allow));
        put(line, CacheSettings.MEMORY, memory);
        put(line, DiskSettings.DISK, disk);
        put(line, ProxySettings.WORKERS, workers);
        put(line, ControlSettings.LISTEN, control);
        put(line, ControlSettings.TOKEN_FILE, controlTokenFile);
        put(line, ProxySettings.CENTRAL_URL, central);
        put(line, ProxySettings.CENTRAL_TOKEN_FILE, tokenFile);
        put(line, ProxySettings.DATA, data);
        return List.of(
                SettingSource.commandLine(line),
                SettingSource.environment(System.getenv(), "KOMAINU_"),
                config == null ? SettingTree.of(Map.of()) : SettingsFile.read(config));
    }

    private static ProxySettings read(SettingReader reader) throws SettingMistakesException {
        ProxySettings settings = ProxySettings.read(reader);
        reader.check(problems ->
                settings.cache().checkRoom(PlatformDependent.estimateMaxDirectMemory(), problems));
        reader.finish();
        return settings;
    }

    private static void put(Map<String, String> line, Setting<?> setting, @Nullable String value) {
        if (value != null) {
            line.put(setting.key(), value);
        }
    }

    static final class Version implements CommandLine.IVersionProvider {
        @Override
        public String[] getVersion() {
            return new String[] {"Komainu proxy " + ProductVersion.text()};
        }
    }
}
