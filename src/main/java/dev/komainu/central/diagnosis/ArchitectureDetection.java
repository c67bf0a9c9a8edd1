package dev.komainu.central.diagnosis;

import dev.komainu.central.diagnosis.Architecture.ServedBy;
import dev.komainu.central.fleet.ServiceProfile;
import dev.komainu.central.indices.Evidence;
import dev.komainu.central.indices.IndexSource;
import dev.komainu.central.indices.LocalizedText;
import dev.komainu.central.indices.MeasurementView;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The detection of a server's type by table 6.1: from its kind and settings, compared with the
 * observed processes, threads and connections; for a server of unknown kind from the observation
 * alone. Pure; used once.
 */
public final class ArchitectureDetection {

    private static final int WINDOW_SECONDS = 60;

    /**
     * Threads for each process above which a server is multi-threaded: fewer are one for the work
     * and a few for logs and timers.
     */
    private static final double MANY_THREADS = 3;

    /**
     * Accepted connections for each thread above which a thread does not serve them one after the
     * other.
     */
    private static final double MANY_SESSIONS = 1.5;

    /**
     * Threads or processes at which an unknown server has workers: an event loop needs one for each
     * CPU.
     */
    private static final int WORKER_THREADS = 8;

    private static final int WORKER_PROCESSES = 6;

    private final ServiceProfile service;
    private final boolean ofPool;
    private final MeasurementView view;
    private final List<Evidence> evidence = new ArrayList<>();
    private final double processes;
    private final double threads;

    private ArchitectureDetection(ServiceProfile service, MeasurementView view) {
        ServiceProfile pool = service.pool();
        // A web server only passes the requests on; the pool's processes serve them.
        this.service = pool == null ? service : pool;
        this.ofPool = pool != null;
        this.view = view;
        this.processes = view.now("serverProcesses", WINDOW_SECONDS);
        this.threads = view.now("serverThreads", WINDOW_SECONDS);
    }

    public static Architecture of(ServiceProfile service, MeasurementView view) {
        return new ArchitectureDetection(service, view).detect();
    }

    /** The architecture that a server's kind and settings imply. */
    private record Built(boolean processes, boolean threads, boolean sessions, ServedBy by) {}

    private Architecture detect() {
        Built built = configured();
        boolean isKnownKind = built != null;
        boolean observed = !Double.isNaN(processes) && !Double.isNaN(threads);
        for (String index : List.of("serverProcesses", "serverThreads", "concurrentMax")) {
            evidence.add(Evidence.of(view.read(index, WINDOW_SECONDS)));
        }
        if (built == null && observed) {
            built = observed();
        }
        if (built == null) {
            return new Architecture(null, null, null, null, null, null, List.of(), evidence);
        }
        List<LocalizedText> reasons = new ArrayList<>();
        if (ofPool) {
            reasons.add(LocalizedText.of(
                    "The type is that of the application pool behind it, which serves the requests: "
                            + service.kind() + ".",
                    "型は、リクエストを処理する背後のアプリケーションプール(" + service.kind() + ")のものです。"));
        }
        Decision.Level level = Decision.Level.HIGH;
        if (!isKnownKind) {
            level = Decision.Level.LOW;
            reasons.add(LocalizedText.of(
                    "Derived from processes, threads and connections only: the program is unknown.",
                    "プロセス・スレッド・接続の観測だけによる判定です。プログラムは未知です。"));
        } else if (!observed) {
            level = Decision.Level.MEDIUM;
            reasons.add(LocalizedText.of(
                    "Derived from the kind and the settings only: the processes and threads are not observed.",
                    "種類と設定だけによる判定です。プロセスとスレッドは観測されていません。"));
        } else if (!agrees(built)) {
            level = Decision.Level.MEDIUM;
            reasons.add(LocalizedText.of(
                    "Derived from the settings. The observed processes and threads do not match.",
                    "設定による判定です。観測されたプロセス・スレッド数とは一致しません。"));
        } else {
            reasons.add(
                    LocalizedText.of("The settings and the observation agree.", "設定と観測が一致しています。"));
        }
        return new Architecture(
                Architecture.type(built.processes(), built.threads(), built.sessions()),
                built.processes(),
                built.threads(),
                built.sessions(),
                built.by(),
                level,
                reasons,
                evidence);
    }

    private @Nullable Built configured() {
        return switch (service.kind()) {
            case "apache" -> apache();
            case "nginx" ->
                new Built(number("worker_processes", 1) > 1, false, true, ServedBy.LOOPS);
            case "squid" -> new Built(number("workers", 1) > 1, false, true, ServedBy.LOOPS);
            case "haproxy" ->
                new Built(number("nbproc", 1) > 1, number("nbthread", 1) > 1, true, ServedBy.LOOPS);
            case "komainu" -> new Built(false, number("workers", 1) > 1, true, ServedBy.LOOPS);
            case "tomcat" -> {
                // Up to Tomcat 8 the blocking connector used a thread for each connection.
                boolean blocking = "Http11Protocol".equalsIgnoreCase(value("protocol"));
                yield new Built(false, true, !blocking, ServedBy.WORKERS);
            }
            case "gunicorn" -> gunicorn();
            case "uwsgi" -> {
                boolean loops = number("gevent", 0) > 1 || number("async", 0) > 1;
                yield new Built(
                        number("processes", 1) > 1,
                        number("threads", 1) > 1,
                        loops,
                        loops ? ServedBy.LOOPS : ServedBy.WORKERS);
            }
            case "php-fpm" ->
                new Built(number("pm.max_children", 2) > 1, false, false, ServedBy.WORKERS);
            // One process accepts connections, and its manager serves no client; idle sessions wait
            // without a thread.
            case "varnish" -> new Built(false, true, true, ServedBy.WORKERS);
            default -> null;
        };
    }

    /** Returns a gunicorn's: its class decides whether an idle session occupies a worker. */
    private Built gunicorn() {
        boolean processes = number("workers", 1) > 1;
        String kind = value("worker_class");
        return switch (kind == null ? "sync" : kind) {
            case "sync" -> new Built(processes, false, false, ServedBy.WORKERS);
            case "gthread" -> new Built(processes, true, true, ServedBy.WORKERS);
            default -> new Built(processes, false, true, ServedBy.LOOPS);
        };
    }

    private @Nullable Built apache() {
        String mpm = value("MPM");
        if (mpm == null) {
            if (Double.isNaN(threads) || Double.isNaN(processes)) {
                return null;
            }
            mpm = threads > MANY_THREADS * processes ? "event" : "prefork";
        }
        return switch (mpm) {
            case "prefork" -> new Built(true, false, false, ServedBy.WORKERS);
            case "worker" -> new Built(true, true, false, ServedBy.WORKERS);
            default -> new Built(true, true, true, ServedBy.WORKERS);
        };
    }

    private Built observed() {
        boolean manyProcesses = processes >= 2;
        boolean manyThreads = threads > MANY_THREADS * processes;
        // Connections that the kernel accepted and the server did not yet accept wait in the queue.
        double queued = view.now("acceptQueue", WINDOW_SECONDS);
        double accepted =
                view.now("concurrentMax", WINDOW_SECONDS) - (Double.isNaN(queued) ? 0 : queued);
        boolean manySessions = accepted > MANY_SESSIONS * threads;
        boolean workers =
                !manySessions || threads >= WORKER_THREADS || processes >= WORKER_PROCESSES;
        return new Built(
                manyProcesses,
                manyThreads,
                manySessions,
                workers ? ServedBy.WORKERS : ServedBy.LOOPS);
    }

    /**
     * Reports whether the observation fits the settings. Masters and helpers count too, so one
     * process more is no contradiction; one process less is.
     */
    private boolean agrees(Built built) {
        boolean forked = !built.processes() || processes >= 2;
        boolean threaded = !built.threads() || threads >= 2;
        boolean single = built.threads() || threads <= MANY_THREADS * processes;
        // nginx reads disks in threads that serve no client; a Java program always has some.
        boolean helpers = service.kind().equals("nginx") || service.kind().equals("komainu");
        return forked && threaded && (single || helpers);
    }

    private double number(String name, double otherwise) {
        String written = value(name);
        try {
            return written == null ? otherwise : Double.parseDouble(written.strip());
        } catch (NumberFormatException e) {
            return otherwise;
        }
    }

    private @Nullable String value(String name) {
        Setting setting = service.setting(name);
        if (setting == null) {
            return null;
        }
        String text = setting.name() + ": " + setting.value() + " (" + setting.source() + ")";
        evidence.add(Evidence.ofText(
                setting.name(), LocalizedText.of(text, text), IndexSource.CONFIGURATION));
        return setting.value();
    }
}
