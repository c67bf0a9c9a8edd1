package dev.komainu.proxy;

import dev.komainu.intermediary.lifecycle.Component;
import dev.komainu.proxy.acceptor.Acceptor;
import dev.komainu.proxy.acceptor.ListenAddress;
import dev.komainu.proxy.connection.ConnectionLimits;
import dev.komainu.proxy.exchange.ExchangeServices;
import dev.komainu.proxy.exchange.LoopContext;
import dev.komainu.proxy.exchange.RequestPolicy;
import java.net.BindException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The event loops, their shared services and their listening sockets. */
final class EventLoopComponent implements Component<ProxySettings> {

    private final ProxySettings settings;
    private final Supplier<ExchangeServices> share;
    private final Supplier<ConnectionLimits> limit;
    private final UpstreamComponent upstream;
    private final PolicyComponent policy;
    private final @Nullable CertificatesComponent certificates;
    private @Nullable ExchangeServices services;
    private @Nullable ConnectionLimits limits;
    private @Nullable Acceptor acceptor;

    /**
     * Creates the component.
     *
     * @param share supplies the services of all exchanges, from components that are open
     * @param limit supplies the limits of connections, from components that are open
     * @param certificates null when there are no clients over TLS
     */
    EventLoopComponent(
            ProxySettings settings,
            Supplier<ExchangeServices> share,
            Supplier<ConnectionLimits> limit,
            UpstreamComponent upstream,
            PolicyComponent policy,
            @Nullable CertificatesComponent certificates) {
        this.settings = settings;
        this.share = share;
        this.limit = limit;
        this.upstream = upstream;
        this.policy = policy;
        this.certificates = certificates;
    }

    ExchangeServices services() {
        return Objects.requireNonNull(services);
    }

    ConnectionLimits limits() {
        return Objects.requireNonNull(limits);
    }

    Acceptor acceptor() {
        return Objects.requireNonNull(acceptor);
    }

    List<LoopContext> contexts() {
        return acceptor().contexts();
    }

    @Override
    public void open() throws BindException {
        ExchangeServices shared = share.get();
        ConnectionLimits limited = limit.get();
        RequestPolicy initial = policy.policy();
        services = shared;
        limits = limited;
        acceptor = Acceptor.open(
                listenAddresses(),
                settings.workers(),
                settings.transport(),
                settings.trustedProxies(),
                limited,
                (loop, channels, allocator) -> new LoopContext(
                        shared, limited, upstream.servers(), initial, loop, channels, allocator));
        policy.contexts(acceptor.contexts());
    }

    private List<ListenAddress> listenAddresses() {
        List<ListenAddress> listenAddresses = new ArrayList<>();
        if (settings.listen() != null) {
            listenAddresses.add(new ListenAddress("listen", settings.listen(), null));
        }
        if (settings.tls().listen() != null) {
            listenAddresses.add(new ListenAddress(
                    "tls.listen",
                    settings.tls().listen(),
                    Objects.requireNonNull(certificates).get()));
        }
        return listenAddresses;
    }

    @Override
    public void close() {
        acceptor().close();
    }
}
