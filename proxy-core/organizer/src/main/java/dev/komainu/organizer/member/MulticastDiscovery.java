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
 * Discovery of members by multicast. A member that looks for others sends one datagram
 * ({@link DiscoveryDatagram}), and each member that receives it answers over the group's TLS.
 * Datagrams are sent and received on the interface of {@code listen} only, regardless of the host's
 * routes.
 *
 * <p>JGroups' own protocol (MPING) passes all datagrams of its socket up the whole stack: a
 * stranger's datagram could be a view, or the leave of another member. Here a datagram is a
 * discovery or refused. It names no address but its sender's own, and never changes the address of
 * a known member. So a stranger makes members try a handshake with its own address,
 * {@value #MOST_ANSWERS} at a time, and nothing else.
 *
 * <p>JGroups creates it by its name in the stack; {@link #configure} precedes the start. Its own
 * thread reads; JGroups' threads send.
 */
public final class MulticastDiscovery extends PING {

    private static final Logger LOG = LoggerFactory.getLogger(MulticastDiscovery.class);
    private static final int MOST_ANSWERS = 16;
    private static final int TTL = 8;

    private final Semaphore answers = new Semaphore(MOST_ANSWERS);
    private InetSocketAddress listen = new InetSocketAddress(0);
    private InetSocketAddress group = new InetSocketAddress(0);
    private Consumer<String> refused = why -> {};

    private volatile @Nullable DatagramChannel receiver;
    private volatile @Nullable DatagramChannel sender;

    /** Guarded by this. */
    private @Nullable MembershipKey joined;

    public MulticastDiscovery() {
        // Members answer each other with this protocol's number.
        setId(ClassConfigurator.getProtocolId(MPING.class));
    }

    /**
     * Configures the discovery, before its start.
     *
     * @param listen address at which this member listens
     * @param group of the same family
     * @param refused gets the reason why a datagram was refused; on the reading thread
     */
    void configure(InetSocketAddress listen, InetSocketAddress group, Consumer<String> refused) {
        this.listen = listen;
        this.group = group;
        this.refused = refused;
    }

    @Override
    public void start() throws Exception {
        StandardProtocolFamily family = listen.getAddress() instanceof Inet6Address
                ? StandardProtocolFamily.INET6
                : StandardProtocolFamily.INET;
        DatagramChannel receiving = DatagramChannel.open(family);
        receiver = receiving;
        receiving.setOption(StandardSocketOptions.SO_REUSEADDR, true);
        // At the group's address: the socket gets only what is sent to the group.
        receiving.bind(group);
        DatagramChannel sending = DatagramChannel.open(family);
        sender = sending;
        sending.bind(new InetSocketAddress(listen.getAddress(), 0));
        sending.setOption(StandardSocketOptions.IP_MULTICAST_TTL, TTL);
        if (!joinGroup(receiving, sending)) {
            throw new BindException("no interface has " + listen.getAddress().getHostAddress());
        }
        Thread.ofVirtual().name("komainu-multicast").start(() -> receiveAll(receiving));
        super.start();
    }

    /**
     * Joins the group on the address's current interface: an interface that went down and came up
     * has lost its memberships.
     *
     * @return false: no interface has the address
     */
    private synchronized boolean joinGroup(DatagramChannel receiving, DatagramChannel sending)
            throws IOException {
        NetworkInterface now = NetworkInterface.getByInetAddress(listen.getAddress());
        if (now == null) {
            return false;
        }
        MembershipKey before = joined;
        if (before == null || before.networkInterface().getIndex() != now.getIndex()) {
            if (before != null) {
                before.drop();
            }
            joined = receiving.join(group.getAddress(), now);
            sending.setOption(StandardSocketOptions.IP_MULTICAST_IF, now);
        }
        return true;
    }

    @Override
    public void stop() {
        close(receiver);
        close(sender);
        super.stop();
    }

    @Override
    public void destroy() {
        // JGroups does not stop a protocol whose start failed.
        close(receiver);
        close(sender);
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
    protected void sendMcastDiscoveryRequest(Message request) {
        DatagramChannel receiving = receiver;
        DatagramChannel sending = sender;
        PingHeader header = request.getHeader(getId());
        if (receiving == null
                || sending == null
                || header == null
                || !(local_addr instanceof UUID self)) {
            return;
        }
        try {
            if (joinGroup(receiving, sending)) {
                DiscoveryDatagram call = new DiscoveryDatagram(
                        cluster_name, self, listen.getPort(), header.initialDiscovery());
                sending.send(call.datagram(), group);
            }
        } catch (IOException e) {
            // The link is down, or the address was removed: JGroups repeats the call soon.
            LOG.debug("Not sent: {}", e.getMessage());
        }
    }

    private void receiveAll(DatagramChannel receiving) {
        ByteBuffer datagram = ByteBuffer.allocate(DiscoveryDatagram.MOST_BYTES + 1);
        while (receiving.isOpen()) {
            try {
                datagram.clear();
                InetSocketAddress from = (InetSocketAddress) receiving.receive(datagram);
                datagram.flip();
                if (from != null) {
                    handle(DiscoveryDatagram.read(datagram), from.getAddress());
                }
            } catch (MalformedMessageException e) {
                refused.accept(String.valueOf(e.getMessage()));
            } catch (ClosedChannelException e) {
                return;
            } catch (IOException | RuntimeException e) {
                LOG.debug("Not received: {}", e.getMessage());
            }
        }
    }

    private void handle(DiscoveryDatagram call, InetAddress from) {
        if (!call.cluster().equals(cluster_name) || call.caller().equals(local_addr)) {
            return;
        }
        PhysicalAddress known =
                (PhysicalAddress) down(new Event(Event.GET_PHYSICAL_ADDRESS, call.caller()));
        PhysicalAddress address = new IpAddress(from, call.port());
        if (known != null && !known.equals(address)) {
            refused.accept("A discovery datagram names a member of another address");
            return;
        }
        // To answer means to connect: an unreachable caller must delay no other answer.
        if (answers.tryAcquire()) {
            Thread.startVirtualThread(() -> {
                try {
                    answer(call.caller(), address, call.isNewcomer());
                } finally {
                    answers.release();
                }
            });
        }
    }

    private void answer(Address caller, PhysicalAddress where, boolean isNewcomer) {
        Message request = new BytesMessage()
                .setSrc(caller)
                .putHeader(
                        getId(),
                        new PingHeader(PingHeader.GET_MBRS_REQ)
                                .clusterName(Objects.requireNonNull(cluster_name))
                                .initialDiscovery(isNewcomer))
                .setArray(marshal(new PingData(caller, false, null, where)));
        up(request);
    }
}
