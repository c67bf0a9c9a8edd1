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

/** The entries of one member, listening. Thread-safe. */
@SuppressWarnings("FutureReturnValueIgnored") // the result of a close is not needed
public final class ServiceEntries implements AutoCloseable {

    private static final byte[] NOTHING = {};

    private final Front front;

    private final ChannelGroup clients = new DefaultChannelGroup(ImmediateEventExecutor.INSTANCE);

    /** In the settings' order. Written under this only. */
    private volatile List<EntryListener> listeners = List.of();

    /** An entry, its listening address and its counts. */
    public record OpenEntry(ServiceEntry entry, InetSocketAddress listens, ServiceCounts counts) {}

    /** The current entry of an address. */
    private record CurrentEntry(ServiceEntry entry, ServiceCounts counts) {}

    /** The listener of one address. */
    private final class EntryListener {
        private final Channel channel;
        private volatile CurrentEntry current;

        EntryListener(String setting, ServiceEntry entry) throws BindException {
            current = new CurrentEntry(entry, new ServiceCounts());
            channel = front.listen(setting, entry.listen(), client -> {
                CurrentEntry now = current;
                accept(new ServiceClientConnection(
                        front, client, now.entry(), now.counts(), clients));
            });
        }

        OpenEntry open() {
            CurrentEntry now = current;
            return new OpenEntry(
                    now.entry(), (InetSocketAddress) channel.localAddress(), now.counts());
        }
    }

    /**
     * Opens all entries.
     *
     * @throws BindException naming the entry whose address cannot be bound; then none is open
     */
    public ServiceEntries(Front front, List<ServiceEntry> entries) throws BindException {
        this.front = front;
        apply(open(entries));
    }

    /**
     * Entries with open addresses, before {@link ServiceEntries#apply(PreparedEntries)} or
     * {@link #close}.
     */
    public static final class PreparedEntries implements AutoCloseable {
        private final List<ServiceEntry> entries;
        /** In the order of the entries. */
        private final List<EntryListener> all = new ArrayList<>();
        /** The listeners that were opened for these entries. */
        private final List<EntryListener> newListeners = new ArrayList<>();

        private PreparedEntries(List<ServiceEntry> entries) {
            this.entries = List.copyOf(entries);
        }

        /** Closes the listeners that were opened for these entries. */
        @Override
        public void close() {
            newListeners.forEach(listener -> listener.channel.close());
        }
    }

    /**
     * Opens the addresses of these entries that are not open yet.
     *
     * @throws BindException naming the entry whose address cannot be bound; nothing has changed
     *     then
     */
    public synchronized PreparedEntries open(List<ServiceEntry> entries) throws BindException {
        List<EntryListener> unused = new ArrayList<>(listeners);
        PreparedEntries opened = new PreparedEntries(entries);
        try {
            for (int i = 0; i < entries.size(); i++) {
                ServiceEntry entry = entries.get(i);
                EntryListener listener = unused.stream()
                        .filter(existing ->
                                existing.current.entry().listen().equals(entry.listen()))
                        .findFirst()
                        .orElse(null);
                if (listener == null) {
                    listener = new EntryListener("services[" + i + "].listen", entry);
                    opened.newListeners.add(listener);
                }
                unused.remove(listener);
                opened.all.add(listener);
            }
        } catch (BindException e) {
            opened.close();
            throw e;
        }
        return opened;
    }

    /**
     * Applies these entries and closes all others. When only the entry behind an address changes,
     * its listener stays. Existing clients keep their entry.
     */
    public synchronized void apply(PreparedEntries opened) {
        for (int i = 0; i < opened.entries.size(); i++) {
            EntryListener listener = opened.all.get(i);
            ServiceEntry entry = opened.entries.get(i);
            if (!listener.current.entry().equals(entry)) {
                listener.current = new CurrentEntry(entry, new ServiceCounts());
            }
        }
        List<EntryListener> unused = new ArrayList<>(listeners);
        unused.removeAll(opened.all);
        listeners = List.copyOf(opened.all);
        unused.forEach(listener -> listener.channel.close());
    }

    private void accept(ServiceClientConnection client) {
        client.counts().count(ServiceCounts.Kind.ACCEPTED);
        ServiceEntry entry = client.entry();
        switch (entry.protocol()) {
            case TCP ->
                client.open(
                        TunnelAcceptor.ask(entry.service()),
                        (response, stream) -> {},
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
                        (response, stream) -> {},
                        () -> {},
                        NOTHING);
            }
        }
    }

    /** Returns the service of an entry's address; null: no entry has the address. */
    private @Nullable HostPort serviceOf(HostPort address) {
        for (OpenEntry open : all()) {
            if (open.entry().protocol() == ServiceProtocol.IIOP
                    && open.listens().getPort() == address.port()
                    && isOf(open, address.host())) {
                return new HostPort(open.entry().name(), open.entry().port());
            }
        }
        return null;
    }

    private static boolean isOf(OpenEntry entry, String host) {
        InetAddress listens = entry.listens().getAddress();
        return ServedAddresses.isLocalHost(host)
                && (listens.isAnyLocalAddress() || listens.getHostAddress().equals(host));
    }

    /**
     * Returns the address of the entry for a service, as the client of a connection can reach it;
     * null: there is none.
     */
    private @Nullable HostPort entryOf(HostPort service, Channel from) {
        for (OpenEntry open : all()) {
            if (open.entry().protocol() == ServiceProtocol.IIOP
                    && open.entry().name().equalsIgnoreCase(service.host())
                    && open.entry().port() == service.port()) {
                InetAddress listens = open.listens().getAddress();
                InetAddress reached = listens.isAnyLocalAddress()
                                && from.localAddress() instanceof InetSocketAddress here
                        ? here.getAddress()
                        : listens;
                return new HostPort(reached.getHostAddress(), open.listens().getPort());
            }
        }
        return null;
    }

    /** Returns the open entries, in the settings' order. */
    public List<OpenEntry> all() {
        return listeners.stream().map(EntryListener::open).toList();
    }

    /** Stops accepting clients. */
    public void drain() {
        listeners.forEach(listener -> listener.channel.close());
    }

    /** Returns the number of clients. */
    public int activeClients() {
        return clients.size();
    }

    /**
     * Closes all clients with a reset, so that they do not take it for the service's end. The
     * front's lines must still be open.
     */
    @Override
    public void close() {
        listeners.forEach(listener -> listener.channel.close());
        clients.forEach(channel ->
                channel.eventLoop().execute(() -> ServiceClientConnection.abort(channel)));
    }
}
