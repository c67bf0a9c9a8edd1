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
 * Takes signed orders, carries each out once, and tells what became of it. An order comes again
 * until its outcome arrived: then the outcome is told again and nothing is done.
 *
 * <p>{@link #take} may be called from any thread and returns at once; the work is done on one
 * thread of its own, so that a server that restarts slowly holds up neither reports nor samples.
 */
public final class OrderExecutor implements AutoCloseable {

    private static final int MOST_DETAIL = 2_000;

    /** A check, a stop and a start, each within its own limit. */
    private static final long FINISH_SECONDS = 180;

    private final PublicKey key;
    private final String node;
    private final RecordSink sink;
    private final OrderJournal journal;
    private final DiscoveredServers servers;
    private final FileSettingApplier files;
    private final KernelSettingApplier kernel;
    private final VarnishSettingApplier varnish;
    private final ExecutorService thread = Executors.newSingleThreadExecutor(
            Thread.ofPlatform().name("komainu-orders").daemon().factory());
    /** Texts that wait or are worked on. */
    private final Set<String> inHand = ConcurrentHashMap.newKeySet();
    /** What was left aside, by reason. */
    private final Map<String, Long> aside = new ConcurrentHashMap<>();

    private volatile boolean closing;

    /**
     * @param key whose orders are followed, and nobody else's
     * @param directory of the journal
     * @param sysctlFile where kernel values are kept over a restart of the host
     * @param look reads every server's configuration again
     * @throws IOException when the directory cannot be used
     */
    public OrderExecutor(
            PublicKey key,
            String node,
            Path directory,
            Path sysctlFile,
            RecordSink sink,
            Supplier<List<DiscoveredServer>> look)
            throws IOException {
        this.key = key;
        this.node = node;
        this.sink = sink;
        this.journal = new OrderJournal(directory);
        this.servers = new DiscoveredServers(look);
        ProcFiles proc = ProcFiles.ofThisHost();
        this.files = new FileSettingApplier(journal, servers, proc);
        this.kernel = new KernelSettingApplier(journal, servers, proc, sysctlFile);
        this.varnish = new VarnishSettingApplier(journal, servers, proc);
        thread.execute(this::mend);
    }

    /** The key in the form it is told to the central service. */
    public String keyText() {
        return SignedOrder.keyText(key);
    }

    /** What was left aside since the start, by reason. */
    public List<SourceStatus.Drops> drops() {
        List<SourceStatus.Drops> drops = new ArrayList<>();
        new LinkedHashMap<>(aside)
                .forEach((reason, count) -> drops.add(new SourceStatus.Drops(reason, count)));
        return drops;
    }

    /** Takes what came with an answer. */
    public void take(List<String> signed) {
        for (String text : signed) {
            if (inHand.add(text)) {
                try {
                    thread.execute(() -> {
                        try {
                            follow(text);
                        } finally {
                            inHand.remove(text);
                        }
                    });
                } catch (RejectedExecutionException e) {
                    // Closing: it comes again.
                    inHand.remove(text);
                }
            }
        }
    }

    private void follow(String text) {
        if (closing) {
            return;
        }
        Order order = SignedOrder.verified(text, key);
        if (order == null) {
            // Nothing in it can be believed, not even its id: it is counted, not answered.
            leaveAside("order-signature");
            return;
        }
        try {
            OrderOutcome known = journal.outcome(order.id());
            if (known != null) {
                leaveAside("order-again");
                sink.accept(known);
            } else if (journal.knows(order.id())) {
                leaveAside("order-again");
            } else {
                OrderOutcome outcome = carryOut(order);
                journal.end(outcome);
                sink.accept(outcome);
            }
        } catch (IOException | RuntimeException e) {
            leaveAside("order-journal");
            System.err.println("agent: order " + order.id() + ": " + e);
        }
    }

    private void leaveAside(String reason) {
        aside.merge(reason, 1L, Long::sum);
    }

    private OrderOutcome carryOut(Order order) {
        long begun = EpochMicros.now();
        try {
            OrderCheck.check(order, node, begun);
            DiscoveredServer server = servers.find(order.service());
            if (server == null) {
                throw OrderRefusedException.untouched(
                        "unknown-service",
                        "service: " + order.service() + " (does not listen on this host)");
            }
            SettingApplier.Done done =
                    order.restores() == null ? change(order, server) : restore(order, server);
            System.err.println("agent: order " + order.id() + " done: " + order.service() + " "
                    + order.setting() + ": " + done.before() + " → " + done.after());
            return outcome(
                    order, OrderOutcome.State.DONE, "done", done.detail(), done, true, begun);
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
                    begun);
        } catch (IOException e) {
            return outcome(
                    order, OrderOutcome.State.REFUSED, "write", e.toString(), null, true, begun);
        }
    }

    private SettingApplier.Done change(Order order, DiscoveredServer server)
            throws OrderRefusedException, IOException {
        Setting setting = DiscoveredServers.setting(server, order.setting());
        if (setting == null) {
            throw OrderRefusedException.untouched(
                    "drift", order.setting() + ": not found (expected: " + order.expected() + ")");
        }
        if (!setting.value().equals(order.expected())) {
            throw OrderRefusedException.untouched(
                    "drift",
                    setting.name() + ": " + setting.value() + " in " + setting.source()
                            + " (expected: " + order.expected() + ")");
        }
        return work(order, server).change(order, server, setting);
    }

    private SettingApplier.Done restore(Order order, DiscoveredServer server)
            throws OrderRefusedException, IOException {
        OrderJournal.Begun earlier = journal.begun(String.valueOf(order.restores()));
        if (earlier == null
                || !earlier.service().equals(order.service())
                || !earlier.setting().equals(order.setting())) {
            throw OrderRefusedException.untouched(
                    "no-place",
                    "order " + order.restores()
                            + ": not known here (expected: one this agent carried out)");
        }
        return work(order, server).restore(order, server, earlier);
    }

    private SettingApplier work(Order order, DiscoveredServer server) {
        if (KernelSettingApplier.isFor(order.setting())) {
            return kernel;
        }
        return VarnishSettingApplier.isFor(server) ? varnish : files;
    }

    private OrderOutcome outcome(
            Order order,
            OrderOutcome.State state,
            String reason,
            String detail,
            SettingApplier.@Nullable Done done,
            boolean intact,
            long begun) {
        return new OrderOutcome(
                order.id(),
                node,
                order.service(),
                state,
                reason,
                detail.length() <= MOST_DETAIL
                        ? detail
                        : detail.substring(0, MOST_DETAIL - 1) + "…",
                done == null ? null : done.file(),
                done == null ? null : done.before(),
                done == null ? null : done.after(),
                state != OrderOutcome.State.DONE && intact,
                begun,
                EpochMicros.now());
    }

    /**
     * An order that was begun when the agent died: its file is put back if nobody touched it since,
     * and that is told.
     */
    private void mend() {
        try {
            for (String id : journal.interrupted()) {
                OrderJournal.Begun begun = journal.begun(id);
                boolean restored = begun != null && begun.file() != null && putBack(id, begun);
                OrderOutcome outcome = new OrderOutcome(
                        id,
                        node,
                        begun == null ? "" : begun.service(),
                        OrderOutcome.State.FAILED,
                        "interrupted",
                        "The agent ended meanwhile; "
                                + (restored
                                        ? "the file is as it was before."
                                        : "look at the file."),
                        begun == null || begun.file() == null
                                ? null
                                : begun.file().toString(),
                        null,
                        null,
                        restored,
                        begun == null ? 0 : begun.atMicros(),
                        EpochMicros.now());
                journal.end(outcome);
                sink.accept(outcome);
            }
        } catch (IOException | RuntimeException e) {
            leaveAside("order-journal");
            System.err.println("agent: journal of orders: " + e);
        }
    }

    private boolean putBack(String id, OrderJournal.Begun begun) throws IOException {
        byte[] backup = journal.backup(id);
        Path file = begun.file();
        if (backup == null || file == null) {
            return false;
        }
        HostFile place = new HostFile(file);
        byte[] now = place.read();
        if (HostFile.hash(now).equals(HostFile.hash(backup))) {
            return true;
        }
        if (!HostFile.hash(now).equals(begun.hash())) {
            return false;
        }
        place.replace(backup);
        return true;
    }

    /**
     * What is under way is finished, and never cut short: a server that was stopped to be started
     * again must be. Orders that wait come again.
     */
    @Override
    public void close() {
        closing = true;
        thread.shutdown();
        try {
            if (!thread.awaitTermination(FINISH_SECONDS, TimeUnit.SECONDS)) {
                System.err.println(
                        "agent: an order is still under way after " + FINISH_SECONDS + " s");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
