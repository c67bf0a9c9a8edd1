package dev.komainu.organizer.member;

import java.io.IOException;
import java.net.BindException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.MembershipKey;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import org.jgroups.Address;
import org.jgroups.BytesMessage;
import org.jgroups.Event;
import org.jgroups.Message;
import org.jgroups.PhysicalAddress;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.protocols.MPING;
import org.jgroups.protocols.PING;
import org.jgroups.protocols.PingData;
import org.jgroups.protocols.PingHeader;
import org.jgroups.stack.IpAddress;
import org.jgroups.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Members find each other by multicast: who looks for others calls by one datagram
 * ({@link DiscoveryDatagram}), and whoever hears it answers over the group's TLS. Calls go out, and
 * are heard, where {@code listen} is and nowhere else, whatever the host's routes say.
 *
 * <p>JGroups' own (MPING) passes whatever comes in by its socket up the whole stack: a stranger's
 * datagram could be a view, or another's farewell. Here a datagram is a call or nothing, a call
 * names no address but its sender's own, and never changes that of somebody known. So a stranger
 * makes members try a handshake with himself, {@value #MOST_ANSWERS} at a time, and no more.
 *
 * <p>JGroups makes it, by its name in the stack; {@link #meet} before it starts. Its thread reads;
 * JGroups' send.
 */
public final class MulticastDiscovery extends PING {

    private static final Logger LOG = LoggerFactory.getLogger(MulticastDiscovery.class);
    private static final int MOST_ANSWERS = 16;
    private static final int TTL = 8;

    private final Semaphore answers = new Semaphore(MOST_ANSWERS);
    private InetSocketAddress at = new InetSocketAddress(0);
    private InetSocketAddress group = new InetSocketAddress(0);
    private Consumer<String> refused = why -> {};

    private volatile @Nullable DatagramChannel ear;
    private volatile @Nullable DatagramChannel mouth;

    /** Guarded by this. */
    private @Nullable MembershipKey heard;

    public MulticastDiscovery() {
        // In its name members answer each other.
        setId(ClassConfigurator.getProtocolId(MPING.class));
    }

    /**
     * Before the start.
     *
     * @param at where this member listens
     * @param group of the same family
     * @param refused told why a datagram was no call; its thread
     */
    void meet(InetSocketAddress at, InetSocketAddress group, Consumer<String> refused) {
        this.at = at;
        this.group = group;
        this.refused = refused;
    }

    @Override
    public void start() throws Exception {
        StandardProtocolFamily family = at.getAddress() instanceof Inet6Address
                ? StandardProtocolFamily.INET6
                : StandardProtocolFamily.INET;
        DatagramChannel hears = DatagramChannel.open(family);
        ear = hears;
        hears.setOption(StandardSocketOptions.SO_REUSEADDR, true);
        // At the group's address: nothing but what is sent to the group.
        hears.bind(group);
        DatagramChannel calls = DatagramChannel.open(family);
        mouth = calls;
        calls.bind(new InetSocketAddress(at.getAddress(), 0));
        calls.setOption(StandardSocketOptions.IP_MULTICAST_TTL, TTL);
        if (!listens(hears, calls)) {
            throw new BindException("no interface has " + at.getAddress().getHostAddress());
        }
        Thread.ofVirtual().name("komainu-multicast").start(() -> hear(hears));
        super.start();
    }

    /**
     * Where the address is now: an interface that went and came back has forgotten who listened.
     * Absent: nowhere.
     */
    private synchronized boolean listens(DatagramChannel hears, DatagramChannel calls)
            throws IOException {
        NetworkInterface now = NetworkInterface.getByInetAddress(at.getAddress());
        if (now == null) {
            return false;
        }
        MembershipKey before = heard;
        if (before == null || before.networkInterface().getIndex() != now.getIndex()) {
            if (before != null) {
                before.drop();
            }
            heard = hears.join(group.getAddress(), now);
            calls.setOption(StandardSocketOptions.IP_MULTICAST_IF, now);
        }
        return true;
    }

    @Override
    public void stop() {
        close(ear);
        close(mouth);
        super.stop();
    }

    @Override
    public void destroy() {
        // A start that failed is never stopped.
        close(ear);
        close(mouth);
        super.destroy();
    }

    private static void close(@Nullable DatagramChannel channel) {
        if (channel != null) {
            try {
                channel.close();
            } catch (IOException e) {
                LOG.debug("Not closed: {}", e.getMessage());
            }
        }
    }

    @Override
    protected void sendMcastDiscoveryRequest(Message asking) {
        DatagramChannel hears = ear;
        DatagramChannel calls = mouth;
        PingHeader header = asking.getHeader(getId());
        if (hears == null
                || calls == null
                || header == null
                || !(local_addr instanceof UUID self)) {
            return;
        }
        try {
            if (listens(hears, calls)) {
                DiscoveryDatagram call = new DiscoveryDatagram(
                        cluster_name, self, at.getPort(), header.initialDiscovery());
                calls.send(call.datagram(), group);
            }
        } catch (IOException e) {
            // The link is down, or the address gone: it calls again soon.
            LOG.debug("Not called: {}", e.getMessage());
        }
    }

    private void hear(DatagramChannel hears) {
        ByteBuffer datagram = ByteBuffer.allocate(DiscoveryDatagram.MOST_BYTES + 1);
        while (hears.isOpen()) {
            try {
                datagram.clear();
                InetSocketAddress from = (InetSocketAddress) hears.receive(datagram);
                datagram.flip();
                if (from != null) {
                    heard(DiscoveryDatagram.read(datagram), from.getAddress());
                }
            } catch (MalformedMessageException e) {
                refused.accept(String.valueOf(e.getMessage()));
            } catch (ClosedChannelException e) {
                return;
            } catch (IOException | RuntimeException e) {
                LOG.debug("Not heard: {}", e.getMessage());
            }
        }
    }

    private void heard(DiscoveryDatagram call, InetAddress from) {
        if (!call.cluster().equals(cluster_name) || call.caller().equals(local_addr)) {
            return;
        }
        PhysicalAddress known =
                (PhysicalAddress) down(new Event(Event.GET_PHYSICAL_ADDRESS, call.caller()));
        PhysicalAddress said = new IpAddress(from, call.port());
        if (known != null && !known.equals(said)) {
            refused.accept("A call in the name of a member that is elsewhere");
            return;
        }
        // Answering means to connect: who cannot be reached holds up nobody.
        if (answers.tryAcquire()) {
            Thread.startVirtualThread(() -> {
                try {
                    answer(call.caller(), said, call.isNewcomer());
                } finally {
                    answers.release();
                }
            });
        }
    }

    private void answer(Address caller, PhysicalAddress where, boolean isNewcomer) {
        Message asked = new BytesMessage()
                .setSrc(caller)
                .putHeader(
                        getId(),
                        new PingHeader(PingHeader.GET_MBRS_REQ)
                                .clusterName(Objects.requireNonNull(cluster_name))
                                .initialDiscovery(isNewcomer))
                .setArray(marshal(new PingData(caller, false, null, where)));
        up(asked);
    }
}
