package dev.komainu.central.api.guard;

import dev.komainu.central.lease.LeaseKeeper;
import dev.komainu.central.lease.PeerCentre;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.InetAddress;
import java.security.cert.X509Certificate;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * The filter that gives a request the client's address behind trusted proxies. Only the header that
 * is set ({@code komainu.forwarded-header}) of a direct peer in {@code komainu.trusted-proxies} is
 * read. The client is the right-most address that is not a trusted proxy; what stands left of it
 * was written by the client itself. A hop without a readable address ends the search: the client is
 * then the trusted proxy that wrote it.
 *
 * <p>Tomcat's {@code RemoteIpValve} is not used: it matches proxies by regular expressions and does
 * not know {@code Forwarded} (RFC 7239). Spring's {@code ForwardedHeaderFilter} trusts every peer
 * and takes the left-most address.
 */
final class ForwardedFilter extends OncePerRequestFilter {

    private final GuardSettings settings;
    private final boolean standard;
    private final @Nullable LeaseKeeper lease;

    /**
     * Creates the filter.
     *
     * @param lease lease of this centre, if other centres may forward requests to it
     */
    ForwardedFilter(GuardSettings settings, @Nullable LeaseKeeper lease) {
        this.settings = settings;
        this.lease = lease;
        this.standard = settings.forwardedHeader() == GuardSettings.ForwardedHeader.FORWARDED;
    }

    @Override
    protected void doFilterInternal(
            HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        PeerCentre.Client forwarded =
                lease == null ? null : PeerCentre.client(request, lease.secret());
        if (forwarded != null) {
            X509Certificate shown = forwarded.certificate();
            request.setAttribute(
                    CallerFilter.CERTIFICATES,
                    shown == null ? null : new X509Certificate[] {shown});
            chain.doFilter(
                    new Forwarded(request, forwarded.address(), forwarded.scheme()), response);
            return;
        }
        InetAddress peer = literal(request.getRemoteAddr());
        if (peer == null || !settings.isTrustedProxy(peer)) {
            chain.doFilter(request, response);
            return;
        }
        InetAddress client = peer;
        String protocol = null;
        for (ForwardedHops.Hop hop : hops(request).reversed()) {
            if (hop.address() == null) {
                break;
            }
            client = hop.address();
            protocol = hop.protocol();
            if (!settings.isTrustedProxy(client)) {
                break;
            }
        }
        chain.doFilter(new Forwarded(request, client.getHostAddress(), protocol), response);
    }

    private List<ForwardedHops.Hop> hops(HttpServletRequest request) {
        return standard
                ? ForwardedHops.ofForwarded(lines(request, "Forwarded"))
                : ForwardedHops.ofForwardedFor(
                        lines(request, "X-Forwarded-For"), lines(request, "X-Forwarded-Proto"));
    }

    private static List<String> lines(HttpServletRequest request, String header) {
        return Collections.list(request.getHeaders(header));
    }

    private static @Nullable InetAddress literal(@Nullable String address) {
        try {
            return address == null ? null : InetAddress.ofLiteral(address);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    /** The request as the client sent it to the first trusted proxy. */
    private static final class Forwarded extends HttpServletRequestWrapper {

        private final String address;
        private final @Nullable String protocol;

        Forwarded(HttpServletRequest request, String address, @Nullable String protocol) {
            super(request);
            this.address = address;
            this.protocol = protocol;
        }

        @Override
        public String getRemoteAddr() {
            return address;
        }

        @Override
        public String getRemoteHost() {
            return address;
        }

        @Override
        public boolean isSecure() {
            return "https".equals(protocol) || super.isSecure();
        }

        @Override
        public String getScheme() {
            return isSecure() ? "https" : super.getScheme();
        }
    }
}
