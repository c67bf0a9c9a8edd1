package dev.komainu.organizer.member;

import java.net.InetAddress;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
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
 * TCP, and four things about it.
 *
 * <p>It listens at its address also while the link beneath it is down. JGroups takes an address for
 * none of this machine's until its interface is up and has a carrier, so a member that starts
 * before its network would end; the kernel lets it listen. For JGroups {@code bind_addr} is
 * loopback, which it believes, until the stack is made.
 *
 * <p>Nobody waits for a handshake with somebody else. JGroups sends what is for all to one after
 * the other, and connects on the way: one newcomer whose handshakes take seconds kept everybody's
 * heartbeats from everybody behind him. Here what is for a member that is not connected waits aside
 * ({@link MemberConnector}).
 *
 * <p>Of two members the younger connects. When a newcomer is known, all have something to say to
 * him, and he to all: each pair used to shake hands twice, and to drop one of the two connections.
 *
 * <p>A connection is known or closed. After a view JGroups forgets those whose peers' addresses it
 * has not learnt yet, and leaves them open: the peer goes on using his end, refuses every new one,
 * and hears nothing any more.
 *
 * <p>On the wire it is TCP. JGroups makes it, by its name in the stack.
 */
public final class MemberTransport extends TCP {

    @Property(description = "Where this member listens", name = "listen")
    private @Nullable InetAddress listen;

    /** The eldest first. */
    private volatile List<Address> members = List.of();

    private final MemberConnector dialling =
            new MemberConnector(this::part, this::connected, this::connect, this::pass);

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
        if (to.equals(getPhysicalAddress()) || connected(to) && !dialling.isUnderWay(to)) {
            super.sendUnicast(to, data, offset, length);
        } else if (srv != null) {
            dialling.send(to, data, offset, length);
        }
    }

    @Override
    public void connectionEstablished(Connection connection) {
        super.connectionEstablished(connection);
        if (connection.peerAddress() instanceof PhysicalAddress peer) {
            dialling.established(peer);
        }
    }

    @Override
    public void retainAll(Collection<Address> ofMembers) {
        Set<Address> kept = new HashSet<>(ofMembers);
        srv.forAllConnections((peer, connection) -> {
            if (peer instanceof PhysicalAddress address && is_member.test(address)) {
                kept.add(peer);
            }
        });
        srv.retainAll(kept);
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

    private void pass(PhysicalAddress to, byte[] message) throws Exception {
        super.sendUnicast(to, message, 0, message.length);
    }
}
