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

/** The policy for requests, and the access log in it. */
final class PolicyComponent implements Component<ProxySettings> {

    private static final Logger LOG = LoggerFactory.getLogger(PolicyComponent.class);
    private static final int LOOP_TIMEOUT_SECONDS = 10;

    private final ProxySettings settings;
    private final InFlightFetches inFlight;
    /** The contexts of the event loops; empty until the loops are open. */
    private List<LoopContext> contexts = List.of();

    private volatile @Nullable RequestPolicy policy;

    PolicyComponent(ProxySettings settings, InFlightFetches inFlight) {
        this.settings = settings;
        this.inFlight = inFlight;
    }

    /** Returns the policy in force. Any thread. */
    RequestPolicy policy() {
        return Objects.requireNonNull(policy);
    }

    /** Sets the contexts that receive later policies; they have the present one. */
    void contexts(List<LoopContext> contexts) {
        this.contexts = contexts;
    }

    @Override
    public void open() throws IOException {
        policy = policy(settings, AccessLog.open(settings.log()));
    }

    @Override
    public PreparedChange prepare(SettingsChange<ProxySettings> change) throws IOException {
        AccessLog previous = policy().access();
        AccessLog access =
                change.isOf(ProxySettings::log) ? AccessLog.open(change.next().log()) : previous;
        return new PreparedChange() {
            @Override
            public void apply() {
                handOver(policy(change.next(), access));
                if (change.isOf(ProxySettings::routes)) {
                    // No new request waits for a response from a server to which it would not be
                    // sent.
                    inFlight.closePrefixToJoins(new byte[0]);
                }
            }

            @Override
            public void discard() {
                if (access != previous) {
                    access.close();
                }
            }
        };
    }

    /**
     * Hands the policy to every loop, and waits until all have applied it: a loop applies it
     * between two of its tasks.
     */
    private void handOver(RequestPolicy next) {
        AccessLog previous = policy().access();
        policy = next;
        CompletableFuture<Void> applied = CompletableFuture.allOf(contexts.stream()
                .map(context ->
                        CompletableFuture.runAsync(() -> context.apply(next), context.loop()))
                .toArray(CompletableFuture[]::new));
        if (previous != next.access()) {
            // Its last lines are those of a loop that has not applied the new policy yet.
            applied = applied.thenRunAsync(previous::close);
        }
        try {
            applied.get(LOOP_TIMEOUT_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            LOG.warn(
                    "An event loop is busy; it applies the configuration later than {} s",
                    LOOP_TIMEOUT_SECONDS);
        } catch (ExecutionException e) {
            LOG.error("An event loop did not apply the whole configuration", e.getCause());
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
