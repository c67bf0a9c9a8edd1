package dev.komainu.organizer.member;

import java.net.InetAddress;
import java.util.Objects;
import org.jgroups.annotations.Property;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.protocols.TCP;
import org.jspecify.annotations.Nullable;

/**
 * TCP that listens at its address also while the link beneath it is down. JGroups takes an address for none of this machine's until its
 * interface is up and has a carrier, so a member that starts before its network would end; the kernel lets it listen.
 *
 * <p>For JGroups {@code bind_addr} is loopback, which it believes, until the stack is made. On the wire it is TCP. JGroups makes it, by its
 * name in the stack.
 */
public final class MemberTransport extends TCP {

    @Property(description = "Where this member listens", name = "listen")
    private @Nullable InetAddress listen;

    public MemberTransport() {
        setId(ClassConfigurator.getProtocolId(TCP.class));
    }

    @Override
    public void init() throws Exception {
        bind_addr = Objects.requireNonNull(listen);
        super.init();
    }
}
