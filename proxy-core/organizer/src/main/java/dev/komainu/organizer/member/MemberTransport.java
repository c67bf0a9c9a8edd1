package dev.komainu.organizer.member;

import java.net.InetAddress;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jgroups.Address;
import org.jgroups.Event;
import org.jgroups.PhysicalAddress;
import org.jgroups.View;
import org.jgroups.annotations.Property;
import org.jgroups.blocks.cs.Connection;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.protocols.TCP;
import org.jspecify.annotations.Nullable;

/**
 * The TCP transport of the group, with five changes to JGroups' own.
 *
 * <p>It listens at its address also while the link of the interface is down. JGroups accepts an
 * address only when its interface is up and has a carrier, so a member that starts before its
 * network would end; the kernel allows the socket. JGroups gets loopback as {@code bind_addr},
 * which it accepts, until the stack is made.
 *
 * <p>A message to one member does not wait for a handshake with another. JGroups sends a message
 * for all to one member after the other, and connects on the way: one joining member whose
 * handshakes took seconds delayed all heartbeats behind it. Here messages for a member that is not
 * connected wait aside ({@link MemberConnector}).
 *
 * <p>Of two members the younger connects. When a member joins, all others send to it, and it sends
 * to all: each pair used to perform two handshakes, and to drop one of the two connections.
 *
 * <p>A connection is either known or closed. After a view JGroups forgets connections whose peers'
 * addresses it has not learnt yet, and leaves them open: the peer keeps using its end, refuses
 * every new connection, and receives nothing any more.
 *
 * <p>A broken connection is judged twice. JGroups suspects the member at once and asks it; an
 * answer to an earlier question, which the member sent before it crashed, acquits it when it is
 * handled later. While the member stays without a connection, it is suspected again after a second.
 *
 * <p>On the wire this is TCP. JGroups creates it by its name in the stack.
 */
// TP.members is JGroups' set of addresses; this field has the order of the view. A timer that has
// ended returns no future, and its task handles its failures.
@SuppressWarnings({"HidingField", "FutureReturnValueIgnored"})
public final class MemberTransport extends TCP {

    private static final long SECOND_LOOK_MILLIS = 1_000;

    @Property(description = "Where this member listens", name = "listen")
    private @Nullable InetAddress listen;

    /** Members of the view, the eldest first. */
    private volatile List<Address> members = List.of();

    private final MemberConnector connector =
            new MemberConnector(this::part, this::connected, this::connect, this::sendNow);

    public MemberTransport() {
        setId(ClassConfigurator.getProtocolId(TCP.class));
    }

    @Override
    public void init() throws Exception {
        bind_addr = Objects.requireNonNull(listen);
        super.init();
    }

    @Override
    public Object down(Event event) {
        if (event.getType() == Event.VIEW_CHANGE) {
            View next = event.getArg();
            members = List.copyOf(next.getMembers());
        }
        return super.down(event);
    }

    @Override
    public void sendUnicast(PhysicalAddress to, byte[] data, int offset, int length)
            throws Exception {
        if (to.equals(getPhysicalAddress()) || (connected(to) && !connector.isUnderWay(to))) {
            super.sendUnicast(to, data, offset, length);
        } else if (srv != null) {
            connector.send(to, data, offset, length);
        }
    }

    @Override
    public void connectionEstablished(Connection connection) {
        super.connectionEstablished(connection);
        if (connection.peerAddress() instanceof PhysicalAddress peer) {
            connector.established(peer);
        }
    }

    @Override
    public void connectionClosed(Connection connection) {
        super.connectionClosed(connection);
        if (connection.peerAddress() instanceof PhysicalAddress peer && isMember(peer)) {
            getTimer()
                    .schedule(
                            () -> {
                                if (!connected(peer)) {
                                    super.connectionClosed(connection);
                                }
                            },
                            SECOND_LOOK_MILLIS,
                            TimeUnit.MILLISECONDS);
        }
    }

    private boolean isMember(PhysicalAddress peer) {
        return members.stream()
                .anyMatch(member -> peer.equals(getPhysicalAddressFromCache(member)));
    }

    @Override
    public void retainAll(Collection<Address> addresses) {
        Set<Address> retained = new HashSet<>(addresses);
        srv.forAllConnections((peer, connection) -> {
            if (peer instanceof PhysicalAddress address && is_member.test(address)) {
                retained.add(peer);
            }
        });
        srv.retainAll(retained);
    }

    private MemberConnector.Part part(PhysicalAddress to) {
        List<Address> now = members;
        for (int i = 0, own = now.indexOf(local_addr); i < now.size(); i++) {
            if (to.equals(getPhysicalAddressFromCache(now.get(i)))) {
                return own > i ? MemberConnector.Part.YOUNGER : MemberConnector.Part.ELDER;
            }
        }
        return MemberConnector.Part.NONE;
    }

    private boolean connected(PhysicalAddress to) {
        return srv != null && srv.connectionEstablishedTo(to);
    }

    private void connect(PhysicalAddress to) throws Exception {
        srv.getConnection(to);
    }

    private void sendNow(PhysicalAddress to, byte[] message) throws Exception {
        super.sendUnicast(to, message, 0, message.length);
    }
}
