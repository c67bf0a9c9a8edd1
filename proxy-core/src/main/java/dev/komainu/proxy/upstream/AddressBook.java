package dev.komainu.proxy.upstream;

import io.netty.channel.EventLoop;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Turns an origin's name into the one address that will be dialled, after a guard has seen that very address: a name
 * that resolves differently the second time cannot slip past it (SSRF by DNS rebinding).
 */
public final class AddressBook {

    /** Exactly one argument is present. On the asking loop. */
    @FunctionalInterface
    public interface Answer {
        void resolved(@Nullable InetSocketAddress address, @Nullable OriginFailure refusal);
    }

    private final Predicate<InetSocketAddress> permitted;

    /** @param permitted whether an address may be dialled */
    public AddressBook(Predicate<InetSocketAddress> permitted) {
        this.permitted = permitted;
    }

    /** Literal addresses are answered at once; names by the system's resolver on a virtual thread. */
    public void resolve(Origin origin, EventLoop loop, Answer answer) {
        InetAddress literal = literal(origin.host());
        if (literal != null) {
            tell(origin, literal, answer);
            return;
        }
        Thread.startVirtualThread(() -> {
            InetAddress found;
            try {
                found = InetAddress.getByName(origin.host());
            } catch (UnknownHostException e) {
                found = null;
            }
            InetAddress address = found;
            loop.execute(() -> {
                if (address == null) {
                    answer.resolved(
                            null,
                            new OriginFailure(502, "unknown-host", "No address is known for " + origin.host(), true));
                } else {
                    tell(origin, address, answer);
                }
            });
        });
    }

    private void tell(Origin origin, InetAddress address, Answer answer) {
        InetSocketAddress target = new InetSocketAddress(address, origin.port());
        if (permitted.test(target)) {
            answer.resolved(target, null);
        } else {
            answer.resolved(
                    null,
                    new OriginFailure(403, "address-forbidden", "This proxy may not connect to that address", true));
        }
    }

    private static @Nullable InetAddress literal(String host) {
        try {
            return InetAddress.ofLiteral(host);
        } catch (IllegalArgumentException notLiteral) {
            return null;
        }
    }
}
