package dev.komainu.agent.order;

import dev.komainu.agent.discovery.DiscoveredServer;
import dev.komainu.agent.host.linux.ProcFiles;
import dev.komainu.telemetry.record.EpochMicros;
import dev.komainu.telemetry.record.Order;
import dev.komainu.telemetry.record.OrderOutcome;
import dev.komainu.telemetry.record.RecordSink;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import dev.komainu.telemetry.record.SourceStatus;
import dev.komainu.telemetry.wire.SignedOrder;
import java.io.IOException;
import java.nio.file.Path;
import java.security.PublicKey;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The executor of signed orders: it carries out each order once and reports the outcome. The
 * central service repeats an order until its outcome has arrived; for a repeated order the outcome
 * is reported again and nothing is changed.
 *
 * <p>{@link #submit} may be called from any thread and returns at once. The work runs on a separate
 * thread, so that a slow restart of a server delays neither reports nor samples.
 */
public final class OrderExecutor implements AutoCloseable {

    private static final int MAX_DETAIL = 2_000;

    /** Time for a check, a stop and a start, each within its own limit. */
    private static final long FINISH_SECONDS = 180;

    private final PublicKey key;
    private final String node;
    private final RecordSink sink;
    private final OrderJournal journal;
    private final NewestEpoch newestEpoch;
    private final Permission permission;
    private final DiscoveredServers servers;
    private final FileSettingApplier files;
    private final KernelSettingApplier kernel;
    private final VarnishSettingApplier varnish;
    private final ControlGroupApplier groups;
    private final ExecutorService thread = Executors.newSingleThreadExecutor(
            Thread.ofPlatform().name("komainu-orders").daemon().factory());
    /** Signed texts that wait or are being executed. */
    private final Set<String> pending = ConcurrentHashMap.newKeySet();
    /** Orders that were not executed, by reason. */
    private final Map<String, Long> skipped = new ConcurrentHashMap<>();

    private volatile boolean closing;

    /**
     * Creates an executor and completes interrupted orders.
     *
     * @param key the only key whose orders are executed
     * @param directory directory of the journal
     * @param sysctlFile file that keeps kernel values over a restart of the host
     * @param permission which settings this agent may change
     * @param rescan reads every server's configuration again
     * @throws IOException when the directory cannot be used
     */
    public OrderExecutor(
            PublicKey key,
            String node,
            Path directory,
            Path sysctlFile,
            Permission permission,
            RecordSink sink,
            Supplier<List<DiscoveredServer>> rescan)
            throws IOException {
        this.key = key;
        this.node = node;
        this.sink = sink;
        this.permission = permission;
        this.journal = new OrderJournal(directory);
        this.newestEpoch = new NewestEpoch(directory, SignedOrder.keyText(key));
        this.servers = new DiscoveredServers(rescan);
        ProcFiles proc = ProcFiles.ofThisHost();
        this.files = new FileSettingApplier(journal, servers, proc);
        this.kernel = new KernelSettingApplier(journal, servers, proc, sysctlFile);
        this.varnish = new VarnishSettingApplier(journal, servers, proc);
        this.groups = new ControlGroupApplier(journal, servers, proc);
        thread.execute(this::completeInterrupted);
    }

    /** The decision which settings an agent changes. */
    @FunctionalInterface
    public interface Permission {

        /** Reports whether a setting of the server at a port may be changed. */
        boolean permits(int port, String setting);
    }

    /** Returns the key in the form reported to the central service. */
    public String keyText() {
        return SignedOrder.keyText(key);
    }

    /** Returns the newest epoch of an accepted order; 0: none. Any thread. */
    public long newestEpoch() {
        return newestEpoch.number();
    }

    /** Returns the orders that were not executed since the start, by reason. */
    public List<SourceStatus.Drops> drops() {
        List<SourceStatus.Drops> drops = new ArrayList<>();
        new LinkedHashMap<>(skipped)
                .forEach((reason, count) -> drops.add(new SourceStatus.Drops(reason, count)));
        return drops;
    }

    /** Accepts the orders of a response. */
    public void submit(List<String> signed) {
        for (String text : signed) {
            if (pending.add(text)) {
                try {
                    thread.execute(() -> {
                        try {
                            process(text);
                        } finally {
                            pending.remove(text);
                        }
                    });
                } catch (RejectedExecutionException e) {
                    // The executor is closing; the order is sent again later.
                    pending.remove(text);
                }
            }
        }
    }

    private void process(String text) {
        if (closing) {
            return;
        }
        Order order = SignedOrder.verified(text, key);
        if (order == null) {
            // No part of it is trustworthy, not even its id: it is counted, without an outcome.
            countSkipped("order-signature");
            return;
        }
        try {
            OrderOutcome known = journal.outcome(order.id());
            if (known != null) {
                countSkipped("order-again");
                sink.accept(known);
            } else if (journal.contains(order.id())) {
                countSkipped("order-again");
            } else {
                OrderOutcome outcome = carryOut(order);
                journal.end(outcome);
                sink.accept(outcome);
            }
        } catch (IOException | RuntimeException e) {
            countSkipped("order-journal");
            System.err.println("agent: order " + order.id() + ": " + e);
        }
    }

    private void countSkipped(String reason) {
        skipped.merge(reason, 1L, Long::sum);
    }

    private OrderOutcome carryOut(Order order) {
        long startMicros = EpochMicros.now();
        try {
            OrderCheck.check(order, node, startMicros);
            newestEpoch.accept(order);
            DiscoveredServer server = servers.find(order.service());
            if (server == null) {
                throw OrderRefusedException.untouched(
                        "unknown-service",
                        "service: " + order.service() + " (does not listen on this host)");
            }
            checkPermission(server, order.setting());
            for (Order.Companion companion : order.companions()) {
                checkPermission(server, companion.setting());
            }
            SettingApplier.Change done =
                    order.restores() == null ? change(order, server) : restore(order, server);
            System.err.println("agent: order " + order.id() + " done: " + order.service() + " "
                    + order.setting() + ": " + done.before() + " → " + done.after());
            return outcome(
                    order, OrderOutcome.State.DONE, "done", done.detail(), done, true, startMicros);
        } catch (OrderRefusedException e) {
            System.err.println("agent: order " + order.id() + " not done (" + e.reason() + "): "
                    + e.getMessage());
            return outcome(
                    order,
                    e.touched() ? OrderOutcome.State.FAILED : OrderOutcome.State.REFUSED,
                    e.reason(),
                    String.valueOf(e.getMessage()),
                    null,
                    !e.touched() || e.restored(),
                    startMicros);
        } catch (IOException e) {
            return outcome(
                    order,
                    OrderOutcome.State.REFUSED,
                    "write",
                    e.toString(),
                    null,
                    true,
                    startMicros);
        }
    }

    private void checkPermission(DiscoveredServer server, String setting)
            throws OrderRefusedException {
        if (!permission.permits(server.port(), setting)) {
            throw OrderRefusedException.untouched(
                    "restricted",
                    server.service() + " " + setting
                            + ": not changed by this agent (its setting changes.ports)");
        }
    }

    private SettingApplier.Change change(Order order, DiscoveredServer server)
            throws OrderRefusedException, IOException {
        Setting setting = present(server, order.setting(), order.expected());
        List<SettingApplier.Companion> companions = new ArrayList<>();
        for (Order.Companion companion : order.companions()) {
            companions.add(new SettingApplier.Companion(
                    present(server, companion.setting(), companion.expected()),
                    companion.wanted()));
        }
        return applier(order, server).change(order, server, setting, companions);
    }

    /** Returns the setting as discovery reads it now, if it has the expected value. */
    private static Setting present(DiscoveredServer server, String name, String expected)
            throws OrderRefusedException {
        Setting setting = DiscoveredServers.setting(server, name);
        if (setting == null) {
            throw OrderRefusedException.untouched(
                    "drift", name + ": not found (expected: " + expected + ")");
        }
        if (!setting.value().equals(expected)) {
            throw OrderRefusedException.untouched(
                    "drift",
                    setting.name() + ": " + setting.value() + " in " + setting.source()
                            + " (expected: " + expected + ")");
        }
        return setting;
    }

    private SettingApplier.Change restore(Order order, DiscoveredServer server)
            throws OrderRefusedException, IOException {
        OrderJournal.Entry earlier = journal.entry(String.valueOf(order.restores()));
        if (earlier == null
                || !earlier.service().equals(order.service())
                || !earlier.setting().equals(order.setting())) {
            throw OrderRefusedException.untouched(
                    "no-place",
                    "order " + order.restores()
                            + ": unknown (expected: an order this agent carried out)");
        }
        return applier(order, server).restore(order, server, earlier);
    }

    private SettingApplier applier(Order order, DiscoveredServer server) {
        if (KernelSettingApplier.isFor(order.setting())) {
            return kernel;
        }
        if (ControlGroupApplier.isFor(order.setting())) {
            return groups;
        }
        return VarnishSettingApplier.isFor(server) ? varnish : files;
    }

    private OrderOutcome outcome(
            Order order,
            OrderOutcome.State state,
            String reason,
            String detail,
            SettingApplier.@Nullable Change done,
            boolean intact,
            long startMicros) {
        return new OrderOutcome(
                order.id(),
                node,
                order.service(),
                state,
                reason,
                detail.length() <= MAX_DETAIL ? detail : detail.substring(0, MAX_DETAIL - 1) + "…",
                new OrderOutcome.Change(
                        done == null ? null : done.file(),
                        done == null ? null : done.before(),
                        done == null ? null : done.after(),
                        state != OrderOutcome.State.DONE && intact),
                startMicros,
                EpochMicros.now());
    }

    /**
     * Completes orders that were interrupted by the end of the agent: restores the file if it was
     * not edited since, and reports the outcome.
     */
    private void completeInterrupted() {
        try {
            for (String id : journal.interrupted()) {
                OrderJournal.Entry entry = journal.entry(id);
                boolean restored = entry != null && entry.file() != null && restoreFile(id, entry);
                OrderOutcome outcome = new OrderOutcome(
                        id,
                        node,
                        entry == null ? "" : entry.service(),
                        OrderOutcome.State.FAILED,
                        "interrupted",
                        "The agent ended during the order. "
                                + (restored ? "The file was restored." : "Check the file."),
                        new OrderOutcome.Change(
                                entry == null || entry.file() == null
                                        ? null
                                        : entry.file().toString(),
                                null,
                                null,
                                restored),
                        entry == null ? 0 : entry.atMicros(),
                        EpochMicros.now());
                journal.end(outcome);
                sink.accept(outcome);
            }
        } catch (IOException | RuntimeException e) {
            countSkipped("order-journal");
            System.err.println("agent: journal of orders: " + e);
        }
    }

    private boolean restoreFile(String id, OrderJournal.Entry entry) throws IOException {
        byte[] backup = journal.backup(id);
        Path file = entry.file();
        if (backup == null || file == null) {
            return false;
        }
        HostFile place = new HostFile(file);
        byte[] now = place.read();
        if (HostFile.hash(now).equals(HostFile.hash(backup))) {
            return true;
        }
        if (!HostFile.hash(now).equals(entry.hash())) {
            return false;
        }
        place.replace(backup);
        return true;
    }

    /**
     * Finishes the order in progress and never interrupts it: a server that was stopped for a
     * restart must be started. Waiting orders are sent again later.
     */
    @Override
    public void close() {
        closing = true;
        thread.shutdown();
        try {
            if (!thread.awaitTermination(FINISH_SECONDS, TimeUnit.SECONDS)) {
                System.err.println(
                        "agent: an order is still in progress after " + FINISH_SECONDS + " s");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
