package dev.komainu.proxy;

import dev.komainu.intermediary.lifecycle.Component;
import dev.komainu.intermediary.lifecycle.PreparedChange;
import dev.komainu.intermediary.lifecycle.SettingsChange;
import dev.komainu.proxy.exchange.LoopContext;
import dev.komainu.proxy.exchange.RequestPolicy;
import dev.komainu.proxy.fetch.InFlightFetches;
import dev.komainu.proxy.log.AccessLog;
import dev.komainu.proxy.route.RouteTable;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The policy that rules requests, and the access log in it. */
final class PolicyComponent implements Component<ProxySettings> {

    private static final Logger LOG = LoggerFactory.getLogger(PolicyComponent.class);
    private static final int LOOPS_SECONDS = 10;

    private final ProxySettings settings;
    private final InFlightFetches inFlight;
    /** The event loops' workers, as soon as the loops are open. */
    private List<LoopContext> workers = List.of();

    private volatile @Nullable RequestPolicy policy;

    PolicyComponent(ProxySettings settings, InFlightFetches inFlight) {
        this.settings = settings;
        this.inFlight = inFlight;
    }

    /** In force now. Any thread. */
    RequestPolicy policy() {
        return Objects.requireNonNull(policy);
    }

    /** Hands later policies to these workers, which have the one in force now. */
    void rule(List<LoopContext> workers) {
        this.workers = workers;
    }

    @Override
    public void open() throws IOException {
        policy = policy(settings, AccessLog.open(settings.log()));
    }

    @Override
    public PreparedChange prepare(SettingsChange<ProxySettings> change) throws IOException {
        AccessLog former = policy().access();
        AccessLog access =
                change.isOf(ProxySettings::log) ? AccessLog.open(change.next().log()) : former;
        return new PreparedChange() {
            @Override
            public void apply() {
                handOver(policy(change.next(), access));
                if (change.isOf(ProxySettings::routes)) {
                    // No request that comes now waits for an answer from a server that it would not
                    // be sent to.
                    inFlight.closePrefixToJoins(new byte[0]);
                }
            }

            @Override
            public void discard() {
                if (access != former) {
                    access.close();
                }
            }
        };
    }

    /**
     * Hands the policy to every loop, and waits until all have it: a loop takes it between two of
     * its tasks.
     */
    private void handOver(RequestPolicy next) {
        AccessLog former = policy().access();
        policy = next;
        CompletableFuture<Void> taken = CompletableFuture.allOf(workers.stream()
                .map(worker -> CompletableFuture.runAsync(() -> worker.apply(next), worker.loop()))
                .toArray(CompletableFuture[]::new));
        if (former != next.access()) {
            // Its last lines are those of a loop that has not taken the other yet.
            taken = taken.thenRunAsync(former::close);
        }
        try {
            taken.get(LOOPS_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            LOG.warn(
                    "An event loop is busy; it takes the configuration later than {} s",
                    LOOPS_SECONDS);
        } catch (ExecutionException e) {
            LOG.error("An event loop did not take the whole configuration", e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        policy().access().close();
    }

    private static RequestPolicy policy(ProxySettings settings, AccessLog access) {
        return new RequestPolicy(
                settings.isForward()
                        ? RouteTable.forward(settings.connectPorts())
                        : RouteTable.reverse(settings.routes()),
                settings.clients(),
                settings.purgers(),
                settings.managers(),
                settings.connections(),
                settings.streams(),
                settings.deliver(),
                settings.upstream(),
                settings.forwarding(),
                settings.tls().handshakeTimeout(),
                access);
    }
}
