package dev.komainu.organizer.service;

import dev.komainu.organizer.front.Front;
import dev.komainu.organizer.line.TunnelTaker;
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
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** The entries of one member, listening. Safe for threads. */
public final class Services implements AutoCloseable {

    private static final byte[] NOTHING = {};

    /** Written by the constructor; read by connections that came meanwhile. */
    private final List<Open> all = new CopyOnWriteArrayList<>();

    private final ChannelGroup clients = new DefaultChannelGroup(ImmediateEventExecutor.INSTANCE);

    /** An entry and where it listens. */
    public record Open(Entry entry, InetSocketAddress listens, ServiceCounts counts) {}

    private final List<Channel> listeners = new ArrayList<>();

    /** @throws BindException naming the entry whose address cannot be had; then none is open */
    public Services(Front front, List<Entry> entries) throws BindException {
        try {
            for (int i = 0; i < entries.size(); i++) {
                Entry entry = entries.get(i);
                ServiceCounts counts = new ServiceCounts();
                Channel listener = front.listen(
                        "services[" + i + "].listen",
                        entry.listen(),
                        channel -> take(new ClientConnection(front, channel, entry, counts, clients)));
                listeners.add(listener);
                all.add(new Open(entry, (InetSocketAddress) listener.localAddress(), counts));
            }
        } catch (BindException e) {
            close();
            throw e;
        }
    }

    private void take(ClientConnection client) {
        client.counts().count(ServiceCounts.Kind.ACCEPTED);
        Entry entry = client.entry();
        switch (entry.protocol()) {
            case TCP -> client.open(TunnelTaker.ask(entry.service()), (answer, stream) -> {}, () -> {}, NOTHING);
            case TLS -> client.channel().pipeline().addLast(new TlsDoor(client, entry.port()));
            case FTP -> FtpDoor.open(client);
            case IIOP -> {
                client.channel()
                        .pipeline()
                        .addLast(new ReferenceRewriter(
                                this::serviceOf, name -> entryOf(name, client.channel()), client.counts()));
                client.open(
                        TunnelTaker.ask(ReferenceRewriter.PROTOCOL, entry.service()),
                        (answer, stream) -> {},
                        () -> {},
                        NOTHING);
            }
        }
    }

    /** The service that an entry's address stands for; null: it is no entry's. */
    private @Nullable HostPort serviceOf(HostPort address) {
        for (Open one : all()) {
            if (one.entry().protocol() == Protocol.IIOP
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
            if (one.entry().protocol() == Protocol.IIOP
                    && one.entry().name().equalsIgnoreCase(service.host())
                    && one.entry().port() == service.port()) {
                InetAddress listens = one.listens().getAddress();
                InetAddress reached =
                        listens.isAnyLocalAddress() && from.localAddress() instanceof InetSocketAddress here
                                ? here.getAddress()
                                : listens;
                return new HostPort(reached.getHostAddress(), one.listens().getPort());
            }
        }
        return null;
    }

    /** What is open, in the settings' order. */
    public List<Open> all() {
        return List.copyOf(all);
    }

    /** Takes no new clients. */
    public void drain() {
        listeners.forEach(Channel::close);
    }

    /** Clients that are there. */
    public int underWay() {
        return clients.size();
    }

    /** Ends all clients by a reset: nobody may take it for the service's end. The front's lines must still be open. */
    @Override
    public void close() {
        listeners.forEach(Channel::close);
        clients.forEach(channel -> channel.eventLoop().execute(() -> ClientConnection.breakOff(channel)));
    }
}
