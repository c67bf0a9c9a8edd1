package dev.komainu.organizer.service;

import dev.komainu.organizer.front.Front;
import dev.komainu.organizer.line.tunnel.TunnelAcceptor;
import dev.komainu.organizer.service.ServedAddresses.HostPort;
import io.netty.channel.Channel;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.ImmediateEventExecutor;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The entries of one member, listening. Safe for threads. */
public final class ServiceEntries implements AutoCloseable {

    private static final byte[] NOTHING = {};

    private final Front front;

    private final ChannelGroup clients = new DefaultChannelGroup(ImmediateEventExecutor.INSTANCE);

    /** In the settings' order. Written under this only. */
    private volatile List<Listener> listeners = List.of();

    /** An entry and where it listens. */
    public record Open(ServiceEntry entry, InetSocketAddress listens, ServiceCounts counts) {}

    /** What clients get who come in at an address. */
    private record Offer(ServiceEntry entry, ServiceCounts counts) {}

    /** An address that clients come in at. */
    private final class Listener {
        private final Channel channel;
        private volatile Offer offer;

        Listener(String setting, ServiceEntry entry) throws BindException {
            offer = new Offer(entry, new ServiceCounts());
            channel = front.listen(setting, entry.listen(), each -> {
                Offer now = offer;
                take(new ServiceClientConnection(front, each, now.entry(), now.counts(), clients));
            });
        }

        Open open() {
            Offer now = offer;
            return new Open(now.entry(), (InetSocketAddress) channel.localAddress(), now.counts());
        }
    }

    /** @throws BindException naming the entry whose address cannot be had; then none is open */
    public ServiceEntries(Front front, List<ServiceEntry> entries) throws BindException {
        this.front = front;
        take(open(entries));
    }

    /**
     * Entries whose addresses are open, before {@link ServiceEntries#take(Opened)} or
     * {@link #close}.
     */
    public static final class Opened implements AutoCloseable {
        private final List<ServiceEntry> entries;
        /** In the order of the entries. */
        private final List<Listener> all = new ArrayList<>();
        /** Those of them that were opened for this. */
        private final List<Listener> anew = new ArrayList<>();

        private Opened(List<ServiceEntry> entries) {
            this.entries = List.copyOf(entries);
        }

        /** Closes what was opened for this. */
        @Override
        public void close() {
            anew.forEach(one -> one.channel.close());
        }
    }

    /**
     * Opens the addresses of these entries that are not open yet.
     *
     * @throws BindException naming the entry whose address cannot be had; nothing has changed then
     */
    public synchronized Opened open(List<ServiceEntry> entries) throws BindException {
        List<Listener> left = new ArrayList<>(listeners);
        Opened opened = new Opened(entries);
        try {
            for (int i = 0; i < entries.size(); i++) {
                ServiceEntry entry = entries.get(i);
                Listener at = left.stream()
                        .filter(one -> one.offer.entry().listen().equals(entry.listen()))
                        .findFirst()
                        .orElse(null);
                if (at == null) {
                    at = new Listener("services[" + i + "].listen", entry);
                    opened.anew.add(at);
                }
                left.remove(at);
                opened.all.add(at);
            }
        } catch (BindException e) {
            opened.close();
            throw e;
        }
        return opened;
    }

    /**
     * Takes these entries and closes all others. Where only what is behind an address changes, the
     * listener stays. Clients that are there keep what they came for.
     */
    public synchronized void take(Opened opened) {
        for (int i = 0; i < opened.entries.size(); i++) {
            Listener at = opened.all.get(i);
            ServiceEntry entry = opened.entries.get(i);
            if (!at.offer.entry().equals(entry)) {
                at.offer = new Offer(entry, new ServiceCounts());
            }
        }
        List<Listener> left = new ArrayList<>(listeners);
        left.removeAll(opened.all);
        listeners = List.copyOf(opened.all);
        left.forEach(one -> one.channel.close());
    }

    private void take(ServiceClientConnection client) {
        client.counts().count(ServiceCounts.Kind.ACCEPTED);
        ServiceEntry entry = client.entry();
        switch (entry.protocol()) {
            case TCP ->
                client.open(
                        TunnelAcceptor.ask(entry.service()),
                        (answer, stream) -> {},
                        () -> {},
                        NOTHING);
            case TLS ->
                client.channel()
                        .pipeline()
                        .addLast(new TlsPassthroughHandler(client, entry.port()));
            case FTP -> FtpControlHandler.open(client);
            case IIOP -> {
                client.channel()
                        .pipeline()
                        .addLast(new ReferenceRewriter(
                                this::serviceOf,
                                name -> entryOf(name, client.channel()),
                                client.counts()));
                client.open(
                        TunnelAcceptor.ask(ReferenceRewriter.PROTOCOL, entry.service()),
                        (answer, stream) -> {},
                        () -> {},
                        NOTHING);
            }
        }
    }

    /** The service that an entry's address stands for; null: it is no entry's. */
    private @Nullable HostPort serviceOf(HostPort address) {
        for (Open one : all()) {
            if (one.entry().protocol() == ServiceProtocol.IIOP
                    && one.listens().getPort() == address.port()
                    && isOf(one, address.host())) {
                return new HostPort(one.entry().name(), one.entry().port());
            }
        }
        return null;
    }

    private static boolean isOf(Open entry, String host) {
        InetAddress listens = entry.listens().getAddress();
        return ServedAddresses.isHere(host)
                && (listens.isAnyLocalAddress() || listens.getHostAddress().equals(host));
    }

    /** The entry for a service, as the client of a connection reaches it; null: there is none. */
    private @Nullable HostPort entryOf(HostPort service, Channel from) {
        for (Open one : all()) {
            if (one.entry().protocol() == ServiceProtocol.IIOP
                    && one.entry().name().equalsIgnoreCase(service.host())
                    && one.entry().port() == service.port()) {
                InetAddress listens = one.listens().getAddress();
                InetAddress reached = listens.isAnyLocalAddress()
                                && from.localAddress() instanceof InetSocketAddress here
                        ? here.getAddress()
                        : listens;
                return new HostPort(reached.getHostAddress(), one.listens().getPort());
            }
        }
        return null;
    }

    /** What is open, in the settings' order. */
    public List<Open> all() {
        return listeners.stream().map(Listener::open).toList();
    }

    /** Takes no new clients. */
    public void drain() {
        listeners.forEach(one -> one.channel.close());
    }

    /** Clients that are there. */
    public int underWay() {
        return clients.size();
    }

    /**
     * Ends all clients by a reset: nobody may take it for the service's end. The front's lines must
     * still be open.
     */
    @Override
    public void close() {
        listeners.forEach(one -> one.channel.close());
        clients.forEach(channel ->
                channel.eventLoop().execute(() -> ServiceClientConnection.breakOff(channel)));
    }
}
