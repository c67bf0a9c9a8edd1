package dev.komainu.proxy;

import dev.komainu.intermediary.lifecycle.Component;
import dev.komainu.proxy.acceptor.Acceptor;
import dev.komainu.proxy.acceptor.Door;
import dev.komainu.proxy.exchange.Shared;
import dev.komainu.proxy.exchange.Worker;
import java.net.BindException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The event loops, what they share, and their listening sockets. */
final class EventLoopComponent implements Component<ProxySettings> {

    private final ProxySettings settings;
    private final Supplier<Shared> share;
    private final PolicyComponent policy;
    private final @Nullable CertificatesComponent certificates;
    private @Nullable Shared shared;
    private @Nullable Acceptor acceptor;

    /**
     * @param share makes what the loops share, of components that are open
     * @param certificates absent: no client comes in over TLS
     */
    EventLoopComponent(
            ProxySettings settings,
            Supplier<Shared> share,
            PolicyComponent policy,
            @Nullable CertificatesComponent certificates) {
        this.settings = settings;
        this.share = share;
        this.policy = policy;
        this.certificates = certificates;
    }

    Shared shared() {
        return Objects.requireNonNull(shared);
    }

    Acceptor acceptor() {
        return Objects.requireNonNull(acceptor);
    }

    List<Worker> workers() {
        return acceptor().workers();
    }

    @Override
    public void open() throws BindException {
        shared = share.get();
        acceptor = Acceptor.open(doors(), settings.workers(), settings.transport(), shared);
        policy.rule(acceptor.workers());
    }

    private List<Door> doors() {
        List<Door> doors = new ArrayList<>();
        if (settings.listen() != null) {
            doors.add(new Door("listen", settings.listen(), null));
        }
        if (settings.tls().listen() != null) {
            doors.add(new Door(
                    "tls.listen",
                    settings.tls().listen(),
                    Objects.requireNonNull(certificates).get()));
        }
        return doors;
    }

    @Override
    public void close() {
        acceptor().close();
    }
}
