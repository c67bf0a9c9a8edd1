package dev.komainu.central.state;

import dev.komainu.central.indices.Condition;
import dev.komainu.central.indices.IndexSource;
import dev.komainu.central.indices.LocalizedText;
import dev.komainu.central.indices.MeasurementView;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The states that cannot be judged for a service: for each rule it checks whether a collector
 * reports the measurements that the rule needs. A rule for other kinds of server, or about a limit
 * that this kind does not have, needs nothing. Pure.
 */
public final class UnobservableStates {

    /** Kinds that always fetch from other servers, whatever their configuration. */
    private static final Set<String> PROXIES = Set.of("haproxy", "squid", "varnish");

    private static final Set<String> HAVE_WORKERS =
            Set.of("apache", "tomcat", "varnish", "gunicorn", "uwsgi", "php-fpm");
    private static final Set<String> HAVE_CONNECTIONS =
            Set.of("nginx", "tomcat", "haproxy", "komainu");

    /** Kinds that run on a virtual machine whose threads the agent tells apart. */
    private static final Set<String> HAVE_RUNTIME = Set.of("tomcat", "komainu");

    private static final UnobservableState.Missing PACKETS = new UnobservableState.Missing(
            LocalizedText.of(
                    "No agent captures this server's packets.", "このサーバのパケットをキャプチャするエージェントがありません。"),
            "sudo ./komainu agent");
    private static final UnobservableState.Missing HOST = new UnobservableState.Missing(
            LocalizedText.of(
                    "No agent reports from this server's host: CPUs, memory, disks and queues are not observed.",
                    "このサーバのホストからエージェントの報告がなく、CPU・メモリ・ディスク・キューを観測できません。"),
            "sudo ./komainu agent");
    private static final UnobservableState.Missing PROCESSES = new UnobservableState.Missing(
            LocalizedText.of(
                    "The agent has no permission to read this server's processes: files, CPU time and limits are not observed.",
                    "エージェントにこのサーバのプロセスを読む権限がなく、ファイル数・CPU 時間・上限を観測できません。"),
            "sudo ./komainu agent");
    private static final UnobservableState.Missing SETTINGS = new UnobservableState.Missing(
            LocalizedText.of(
                    "The server's limit of workers or connections is unknown: its configuration was not read.",
                    "設定を読めず、ワーカ数または接続数の上限が分かりません。"),
            "sudo ./komainu agent");
    private static final UnobservableState.Missing ORIGIN_SIDE = new UnobservableState.Missing(
            LocalizedText.of(
                    "The origin side of this proxy is not watched. Name its origins.",
                    "このプロキシのオリジン側が監視されていません。オリジンを指定してください。"),
            "sudo ./komainu agent --origin-side ADDRESS:PORT=ORIGIN:PORT");
    private static final UnobservableState.Missing PROXY = new UnobservableState.Missing(
            LocalizedText.of("The proxy does not report its own counters.", "プロキシ自身の計数が報告されていません。"),
            "./komainu proxy");

    private UnobservableStates() {}

    /** Returns the unobservable states, in the order of the states. */
    public static List<UnobservableState> of(
            List<Rule> rules, String kind, MeasurementView view, CollectorPresence presence) {
        Map<ServiceState, Set<UnobservableState.Missing>> missing =
                new EnumMap<>(ServiceState.class);
        Map<ServiceState, Integer> judged = new EnumMap<>(ServiceState.class);
        boolean packets = packetsArrive(view);
        if (!packets) {
            for (ServiceState state : List.of(
                    ServiceState.STOPPED_UNCLEAR,
                    ServiceState.STOPPED_RESTARTING,
                    ServiceState.STOPPED_CRASHED,
                    ServiceState.UNREACHABLE)) {
                missing.computeIfAbsent(state, key -> new LinkedHashSet<>()).add(PACKETS);
            }
        } else {
            // Packets alone tell it too, without a rule.
            judged.put(ServiceState.UNREACHABLE, 1);
        }
        for (Rule rule : rules) {
            if (!rule.appliesTo(kind) || !isAbout(rule, kind)) {
                continue;
            }
            Set<UnobservableState.Missing> lacking = lacking(rule, view, presence);
            if (lacking.isEmpty()) {
                judged.merge(rule.state(), 1, Integer::sum);
            } else {
                missing.computeIfAbsent(rule.state(), key -> new LinkedHashSet<>())
                        .addAll(lacking);
            }
        }
        List<UnobservableState> wholly = new ArrayList<>();
        List<UnobservableState> partly = new ArrayList<>();
        missing.forEach((state, what) -> {
            boolean all = !judged.containsKey(state);
            (all ? wholly : partly).add(new UnobservableState(state, all, List.copyOf(what)));
        });
        wholly.addAll(partly);
        return wholly;
    }

    /** Returns the collectors that are missing to judge a rule; empty when it can be judged. */
    static Set<UnobservableState.Missing> lacking(
            Rule rule, MeasurementView view, CollectorPresence presence) {
        Set<UnobservableState.Missing> lacking = new LinkedHashSet<>();
        for (Condition condition : rule.when()) {
            UnobservableState.Missing missing =
                    condition.passesUnknown() ? null : missing(condition.measure(), view, presence);
            if (missing != null) {
                lacking.add(missing);
            }
        }
        return lacking;
    }

    private static boolean packetsArrive(MeasurementView view) {
        return !Double.isNaN(view.now("serverPacketsPerSecond", 10));
    }

    /** Reports whether the subject of the rule exists on a server of this kind. */
    static boolean isAbout(Rule rule, String kind) {
        for (Condition condition : rule.when()) {
            String measure = condition.measure();
            boolean about = switch (measure) {
                case "workersBusyShare" -> HAVE_WORKERS.contains(kind);
                case "connectionsShare" -> HAVE_CONNECTIONS.contains(kind);
                case "serverRuntimeShare", "serverRuntimeCores" -> HAVE_RUNTIME.contains(kind);
                case "backendConnecting", "backendUnackedConnections", "serverBackendWaitShare" ->
                    PROXIES.contains(kind) || kind.equals("komainu") || kind.equals("nginx");
                case "ephemeralPortShare" -> PROXIES.contains(kind) || kind.equals("komainu");
                default ->
                    measure.startsWith("originSide")
                            ? PROXIES.contains(kind)
                            : !measure.startsWith("origin") || kind.equals("komainu");
            };
            if (!about && !condition.passesUnknown()) {
                return false;
            }
        }
        return true;
    }

    /** Returns the missing collector of a measurement; null when there is one. */
    private static UnobservableState.@Nullable Missing missing(
            String measure, MeasurementView view, CollectorPresence presence) {
        if (measure.equals("workersBusyShare") || measure.equals("connectionsShare")) {
            return Double.isNaN(view.now(measure, 10)) && packetsArrive(view)
                    ? SETTINGS
                    : packetsMissing(view);
        }
        if (measure.startsWith("originSide")) {
            return Double.isNaN(view.now("originSideProcessingMean", 60)) ? ORIGIN_SIDE : null;
        }
        if (measure.startsWith("logged")) {
            // A server without a readable log is judged by its packets.
            return null;
        }
        IndexSource source = view.source(measure);
        if (source == IndexSource.PACKETS) {
            return packetsMissing(view);
        }
        if (source == IndexSource.PROXY) {
            return view.isProxy() ? null : PROXY;
        }
        if (source == IndexSource.KERNEL && !presence.hostReports()) {
            return HOST;
        }
        boolean ofHost = measure.startsWith("host")
                || measure.equals("serverIowaitShare")
                || measure.startsWith("listen")
                || measure.startsWith("accept");
        return source == IndexSource.KERNEL
                        && !ofHost
                        && Double.isNaN(view.now("serverProcesses", 10))
                ? PROCESSES
                : null;
    }

    private static UnobservableState.@Nullable Missing packetsMissing(MeasurementView view) {
        return packetsArrive(view) ? null : PACKETS;
    }
}
