package dev.komainu.central.api.guard;

import dev.komainu.central.api.problem.Problem;
import dev.komainu.central.api.problem.ProblemWriter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.InetAddress;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * The filter that refuses foreign host names. A page of another site can point its own name at this
 * address (DNS rebinding) and then send requests as "same origin"; their Host contains that name. A
 * plain address cannot be pointed elsewhere, so addresses pass.
 */
final class HostCheck extends OncePerRequestFilter {

    private final Set<String> names;
    private final ProblemWriter writer;

    HostCheck(GuardSettings settings, ProblemWriter writer) {
        this.names = settings.hosts().stream()
                .map(name -> name.toLowerCase(Locale.ROOT))
                .collect(Collectors.toUnmodifiableSet());
        this.writer = writer;
    }

    @Override
    protected void doFilterInternal(
            HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        String host = request.getServerName().toLowerCase(Locale.ROOT);
        if (ours(host)) {
            chain.doFilter(request, response);
        } else {
            writer.write(
                    request,
                    response,
                    Problem.of(
                            421,
                            "foreign-host",
                            "Not a host name of this service",
                            "Host: " + host
                                    + " (expected: localhost, an address, or a name in komainu.hosts)"));
        }
    }

    private boolean ours(String host) {
        return host.equals("localhost") || names.contains(host) || isAddress(host);
    }

    private static boolean isAddress(String host) {
        String bare = host.startsWith("[") && host.endsWith("]")
                ? host.substring(1, host.length() - 1)
                : host;
        try {
            InetAddress.ofLiteral(bare);
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }
}
