package dev.komainu.central.state;

import dev.komainu.central.indices.Condition;
import dev.komainu.central.indices.Replay;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Proposes the cases of a rule whose scenario is in {@code rules/}: for each condition it changes
 * one value of the scenario until the measurement is within three per cent on either side of the
 * threshold and the gate detects every change of it.
 */
final class RuleProposal {

    /** Highest relative distance of a proposed value from its threshold. */
    private static final double NEAR = 0.03;

    /** Highest ratio of a changed value to its threshold: the gate moves thresholds by half. */
    private static final double FARTHEST = 1.4;

    /** Fields of a scenario that change a measurement, the most probable first. */
    private static final Map<String, List<String>> MOVED_BY = Map.ofEntries(
            Map.entry("responseRatio", List.of("usual.packets.ms", "packets.ms")),
            Map.entry("responseExcessMillis", List.of("packets.ms")),
            Map.entry("responseP50Millis", List.of("packets.ms")),
            Map.entry("processingMean", List.of("packets.waiting", "proxy.inFlight")),
            Map.entry("workersBusyShare", List.of("settings.MaxRequestWorkers", "packets.waiting")),
            Map.entry("connectionsShare", List.of("packets.concurrent")),
            Map.entry("transferRatio", List.of("usual.packets.transfer", "packets.transfer")),
            Map.entry("transferP50Millis", List.of("packets.transfer")),
            Map.entry("retransmissionShare", List.of("packets.repeats", "packets.serverPackets")),
            Map.entry("serverPacketsPerSecond", List.of("packets.serverPackets")),
            Map.entry("errorShare", List.of("packets.errors", "packets.done")),
            Map.entry("errorsPerSecond", List.of("packets.errors")),
            Map.entry("synRepeatShare", List.of("packets.conns", "packets.synRepeats")),
            Map.entry("synRepeatsPerSecond", List.of("packets.synRepeats")),
            Map.entry("serverResetShare", List.of("packets.conns", "packets.resets")),
            Map.entry("serverResetsPerSecond", List.of("packets.resets")),
            Map.entry("connectionsPerSecond", List.of("packets.conns")),
            Map.entry("processedPerSecond", List.of("packets.done")),
            Map.entry("arrivalPerSecond", List.of("packets.rps")),
            Map.entry("refusedPerSecond", List.of("packets.refused")),
            Map.entry("hostCpuIdleShare", List.of("host.idle")),
            Map.entry("serverIowaitShare", List.of("host.iowait")),
            Map.entry("hostCpuKernelShare", List.of("host.kernel")),
            Map.entry("hostPressureIoPercent", List.of("host.io")),
            Map.entry("hostPressureMemoryPercent", List.of("host.pressureMemory")),
            Map.entry("hostMajorFaultsPerSecond", List.of("host.majorFaults")),
            Map.entry("hostSwapPagesPerSecond", List.of("host.swap")),
            Map.entry("hostMemoryAvailableShare", List.of("host.available")),
            Map.entry("hostInterfaceShare", List.of("host.interface")),
            Map.entry("hostShapedShare", List.of("host.shaped", "host.interface")),
            Map.entry("serverCpuShare", List.of("host.cores")),
            Map.entry("serverCpuWaitingShare", List.of("host.cpuWaiting")),
            Map.entry(
                    "serverBlockedShare",
                    List.of("packets.waiting", "host.blocked", "host.threads")),
            Map.entry("serverMajorFaultsPerSecond", List.of("host.serverFaults")),
            Map.entry("serverListenDropsPerSecond", List.of("host.overflows")),
            Map.entry("openFilesShare", List.of("host.openFiles")),
            Map.entry("acceptQueue", List.of("host.acceptQueue")),
            Map.entry("acceptQueueShare", List.of("host.acceptQueueLimit", "host.acceptQueue")),
            Map.entry("acceptQueueLimit", List.of("host.acceptQueueLimit")),
            Map.entry("ephemeralPortShare", List.of("host.ports")),
            Map.entry("groupThrottledShare", List.of("host.throttled")),
            Map.entry("groupMemoryUsedShare", List.of("host.memoryUsed")),
            Map.entry("groupRefaultsPerSecond", List.of("host.refaults")),
            Map.entry("groupKillsPerSecond", List.of("host.kills")),
            Map.entry("groupDiskReadShare", List.of("host.readLimit", "host.readBytes")),
            Map.entry("originFailureShare", List.of("proxy.originSent", "proxy.originFailures")),
            Map.entry("originResponseRatio", List.of("usual.proxy.originMs", "proxy.originMs")),
            Map.entry("originResponseP10Ratio", List.of("usual.proxy.originMs", "proxy.originMs")),
            Map.entry("originResponseP50Millis", List.of("proxy.originMs")),
            Map.entry("originRequestsPerSecond", List.of("proxy.originSent")),
            Map.entry("originSideResponseRatio", List.of("usual.origin.ms", "origin.ms")),
            Map.entry("originSideResponseP10Ratio", List.of("usual.origin.ms", "origin.ms")),
            Map.entry("originSideResponseP50Millis", List.of("origin.ms")),
            Map.entry("originSideProcessingMean", List.of("origin.waiting")),
            Map.entry("originSideProcessedPerSecond", List.of("origin.done")),
            Map.entry("originSideFailureShare", List.of("origin.conns", "origin.refused")),
            Map.entry("originWaitShare", List.of("origin.waiting")),
            Map.entry("unplannedErrorShare", List.of("packets.errors", "packets.done")),
            Map.entry(
                    "failureExcessShare",
                    List.of("usual.packets.errors", "packets.errors", "packets.closedUnanswered")),
            Map.entry(
                    "failureExcessPerSecond",
                    List.of("packets.errors", "packets.closedUnanswered")),
            Map.entry("unansweredShare", List.of("packets.closedUnanswered", "packets.rps")),
            Map.entry(
                    "failedHandshakeShare",
                    List.of("packets.handshakes", "packets.failedHandshakes")),
            Map.entry("failedHandshakesPerSecond", List.of("packets.failedHandshakes")),
            Map.entry("lostPagesShare", List.of("packets.lostPages", "packets.done")),
            Map.entry("lostPagesPerSecond", List.of("packets.lostPages")),
            Map.entry("refusedShare", List.of("packets.conns", "packets.refused")),
            Map.entry("vanishedShare", List.of("packets.done", "packets.rps")),
            Map.entry("vanishedPerSecond", List.of("packets.done")),
            Map.entry("captureLossShare", List.of("packets.lost")),
            Map.entry("carriedShare", List.of("packets.done")),
            Map.entry("underWayRatio", List.of("usual.packets.ms", "packets.waiting")),
            Map.entry("serverStoppedShare", List.of("host.stopped")),
            Map.entry("serverClientWriteShare", List.of("host.clientWrite")),
            Map.entry("serverBackendWaitShare", List.of("host.backendWait")),
            Map.entry("backendConnecting", List.of("host.backendsConnecting")),
            Map.entry("backendUnackedConnections", List.of("host.backendsUnacked")),
            Map.entry("loggedErrorShare", List.of("host.logged", "host.loggedErrors")),
            Map.entry("loggedErrorsPerSecond", List.of("host.loggedErrors")),
            Map.entry("loggedLostPagesShare", List.of("host.logged", "host.loggedLostPages")),
            Map.entry("loggedLostPagesPerSecond", List.of("host.loggedLostPages")),
            Map.entry("serverBusiestProcessCores", List.of("host.busiestProcess")),
            Map.entry("serverCpuCores", List.of("host.cores")),
            Map.entry("serverRuntimeShare", List.of("host.cores", "host.runtimeCores")),
            Map.entry("serverRuntimeCores", List.of("host.runtimeCores")),
            Map.entry("hostOtherCpuShare", List.of("host.otherCores")),
            Map.entry("workerTimeRatio", List.of("usual.packets.ms", "packets.done")),
            Map.entry("acceptWaitMillis", List.of("packets.conns", "host.acceptQueue")),
            Map.entry("responsesPerConnection", List.of("packets.conns", "packets.done")),
            Map.entry("retransmittingClientsShare", List.of("packets.retransmittingClients")),
            Map.entry(
                    "clientRoundTripLowRatio",
                    List.of("usual.packets.dataRttMs", "packets.dataRttMs")),
            Map.entry("serverProcessesRatio", List.of("host.processes")),
            Map.entry("hostLinksDown", List.of("host.linksDown")),
            Map.entry("hostCardErrorsPerSecond", List.of("host.cardErrors")),
            Map.entry("hostVolumesReadOnly", List.of("host.readOnly")),
            Map.entry("hostVolumeUsedShare", List.of("host.volumeUsed")),
            Map.entry("hostVolumeInodesUsedShare", List.of("host.inodesUsed")),
            Map.entry("hostBusiestSoftirqShare", List.of("host.softirq")),
            Map.entry("hostBacklogDropsPerSecond", List.of("host.backlogDrops")),
            Map.entry("hostCpuThrottlesPerSecond", List.of("host.throttles")));

    private final RuleSet ruleSet;
    private final Rule rule;
    private final PinnedRule pinned;

    RuleProposal(RuleSet ruleSet, Rule rule, PinnedRule pinned) {
        this.ruleSet = ruleSet;
        this.rule = rule;
        this.pinned = pinned;
    }

    /** Returns YAML for the rule's {@code cases:}. */
    String yaml() {
        Replay base = new Replay(pinned.story(Map.of()));
        StringBuilder yaml = new StringBuilder();
        yaml.append("    # ").append(PlayedRule.ribbon(base, ruleSet, null)).append('\n');
        yaml.append("    entered: ").append(entered(base)).append("\n    cases:\n");
        for (Condition condition : rule.when()) {
            yaml.append(propose(condition));
            if (condition.passesUnknown()) {
                yaml.append("      - { of: ")
                        .append(condition.measure())
                        .append(", missing: holds }\n");
            }
        }
        return yaml.toString();
    }

    private int entered(Replay base) {
        List<Judgement> judged = base.judge(new StateModel(ruleSet));
        for (int second = 0; second < judged.size(); second++) {
            if (judged.get(second).rule().equals(rule.id())) {
                return second;
            }
        }
        return -1;
    }

    private String propose(Condition condition) {
        boolean least = condition.is() == Condition.Comparison.AT_LEAST
                || condition.is() == Condition.Comparison.ABOVE;
        String holds = side(condition, least ? 1 + NEAR : 1 - NEAR, true);
        String beyond = side(condition, least ? 1 - NEAR : 1 + NEAR, false);
        return holds + beyond;
    }

    private String side(Condition condition, double factor, boolean holds) {
        double target = condition.than() == 0
                ? (holds == condition.compares(0) ? 0 : 0.5)
                : condition.than() * factor;
        String best = null;
        for (String field : MOVED_BY.getOrDefault(condition.measure(), List.of())) {
            PinnedRule.Case found = turn(condition, field, target, holds);
            if (found == null) {
                continue;
            }
            String line = line(found);
            if (sound(condition, found)) {
                return line;
            }
            best = line.replace("\n", " # TODO unnoticed\n");
        }
        return best != null
                ? best
                : String.format(
                        Locale.ROOT,
                        "      - { of: %s, %s: %s, with: { } } # TODO%n",
                        condition.measure(),
                        holds ? "holds" : "beyond",
                        number(target));
    }

    /**
     * Changes one value of the scenario until the measurement is on this side, near its threshold.
     */
    private PinnedRule.@Nullable Case turn(
            Condition condition, String field, double target, boolean holds) {
        double low = 0;
        double high = 1e8;
        double[] steps = {
            0, 1e-3, 1e-2, 0.1, 0.3, 0.5, 0.7, 1, 2, 3, 5, 10, 20, 50, 100, 300, 1e3, 3e3, 1e4, 1e5,
            1e6, 1e7, 1e8
        };
        double before = Double.NaN;
        boolean bracketed = false;
        for (double step : steps) {
            double value = measure(condition, field, step);
            if (value == target) {
                return caseOf(condition, field, step, value, holds);
            }
            if (!Double.isNaN(before)
                    && !Double.isNaN(value)
                    && (before < target) != (value < target)) {
                high = step;
                bracketed = true;
                break;
            }
            before = value;
            low = step;
        }
        if (!bracketed) {
            return null;
        }
        boolean rising = measure(condition, field, low) < measure(condition, field, high);
        for (int i = 0; i < 30; i++) {
            double middle = Double.parseDouble(number((low + high) / 2));
            double value = measure(condition, field, middle);
            if (right(condition, value, holds) && near(value, target)) {
                return caseOf(condition, field, middle, value, holds);
            }
            if (value < target == rising) {
                low = middle;
            } else {
                high = middle;
            }
        }
        for (double end : new double[] {low, high}) {
            double value = measure(condition, field, end);
            if (right(condition, value, holds) && acceptable(condition, value)) {
                return caseOf(condition, field, end, value, holds);
            }
        }
        return null;
    }

    private static boolean right(Condition condition, double value, boolean holds) {
        return !Double.isNaN(value) && condition.compares(value) == holds;
    }

    private static boolean near(double value, double target) {
        return Math.abs(value - target) <= Math.abs(target) * NEAR / 2;
    }

    private static boolean acceptable(Condition condition, double value) {
        double than = condition.than();
        return than == 0 ? value <= 1 : value <= than * FARTHEST && value >= than / FARTHEST;
    }

    private PinnedRule.Case caseOf(
            Condition condition, String field, double set, double value, boolean holds) {
        Map<String, String> with = Map.of(field, number(set));
        Double seen = Double.valueOf(String.format(Locale.ROOT, "%.4g", value));
        String expect = holds
                ? null
                : PlayedRule.result(new Replay(pinned.story(with))
                        .judge(new StateModel(ruleSet))
                        .getLast());
        return new PinnedRule.Case(
                condition.measure(),
                holds ? seen : null,
                holds ? null : seen,
                null,
                with,
                null,
                expect);
    }

    private double measure(Condition condition, String field, double set) {
        Replay replay = new Replay(pinned.story(Map.of(field, number(set))));
        return replay.view(replay.seconds() - 1, null)
                .now(condition.measure(), condition.seconds());
    }

    /** Reports whether this case detects the changes that a case on its side must detect. */
    private boolean sound(Condition condition, PinnedRule.Case found) {
        PlayedRule played = new PlayedRule(new PinnedRule(
                pinned.rule(),
                pinned.story(),
                pinned.kind(),
                null,
                pinned.settings(),
                pinned.usual(),
                pinned.fault(),
                pinned.entered(),
                pinned.state(),
                List.of(found)));
        if (played.notices(ruleSet, condition.measure())) {
            return false;
        }
        List<RuleChange> wanted = new ArrayList<>();
        for (RuleChange change : RuleChange.of(rule, ruleSet)) {
            if (condition.measure().equals(change.measure())) {
                if (change.kind() == RuleChange.Kind.MOVED
                        || change.kind() == RuleChange.Kind.DELETED) {
                    wanted.add(change);
                }
            }
        }
        long noticed = wanted.stream()
                .filter(change -> change.noticed(played, ruleSet))
                .count();
        return noticed >= (found.holds() != null ? 1 : 2);
    }

    private static String line(PinnedRule.Case found) {
        String value = found.holds() != null
                ? "holds: " + number(found.holds())
                : "beyond: " + number(Objects.requireNonNull(found.beyond()));
        StringBuilder with = new StringBuilder();
        Objects.requireNonNull(found.with())
                .forEach((name, set) ->
                        with.append(name).append(": \"").append(set).append('"'));
        String expect = found.expect() == null ? "" : ", expect: " + found.expect();
        return "      - { of: " + found.of() + ", " + value + ", with: { " + with + " }" + expect
                + " }\n";
    }

    private static String number(double value) {
        double rounded = Double.parseDouble(String.format(Locale.ROOT, "%.4g", value));
        return rounded == Math.rint(rounded) && Math.abs(rounded) < 1e12
                ? String.valueOf((long) rounded)
                : String.valueOf(rounded);
    }
}
