package dev.komainu.proxy.tls;

import io.netty.handler.ssl.SslContext;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The choice of a certificate for a host that a client names (SNI, RFC 6066 section 3). The
 * certificates' own names decide: first the exact name, then {@code *.} in place of its first label
 * (RFC 9525 section 6.3), else the first certificate. Of two certificates with the same name the
 * one configured first is used. Immutable.
 */
final class SniCertificates {

    private final List<SslContext> contexts;
    private final Map<String, SslContext> byName = new HashMap<>();

    /**
     * Creates the choice.
     *
     * @param contexts the contexts of the identities, in the same order, at least one
     */
    SniCertificates(List<ServerIdentity> identities, List<SslContext> contexts) {
        this.contexts = List.copyOf(contexts);
        for (int i = 0; i < identities.size(); i++) {
            for (String name : identities.get(i).names()) {
                byName.putIfAbsent(name, contexts.get(i));
            }
        }
    }

    boolean isOne() {
        return contexts.size() == 1;
    }

    SslContext first() {
        return contexts.getFirst();
    }

    SslContext of(@Nullable String host) {
        if (host == null) {
            return first();
        }
        String name = host.toLowerCase(Locale.ROOT);
        SslContext exact = byName.get(name);
        if (exact != null) {
            return exact;
        }
        int dot = name.indexOf('.');
        SslContext wild = dot < 1 ? null : byName.get("*" + name.substring(dot));
        return wild == null ? first() : wild;
    }

    List<SslContext> contexts() {
        return contexts;
    }
}
