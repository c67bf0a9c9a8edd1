package dev.komainu.central.api.access;

import dev.komainu.central.access.ReportingBounds;
import dev.komainu.central.access.Scope;
import dev.komainu.central.api.problem.BodyChecks;
import dev.komainu.settings.Cidr;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The names in which a token may report, in requests and responses.
 *
 * @param source source of its batches, such as {@code agent@web-01}
 * @param node name of its host; absent: none
 * @param networks addresses for which it may report; absent in a request: none
 */
record Reporting(
        @Nullable String source,
        @Nullable String node,
        @Nullable List<@Nullable String> networks) {

    private static final int MOST_SOURCE_CHARS = 200;
    private static final int MOST_NODE_CHARS = 255;
    private static final int MOST_NETWORKS = 32;

    static @Nullable Reporting of(@Nullable ReportingBounds bounds) {
        return bounds == null
                ? null
                : new Reporting(
                        bounds.source(),
                        bounds.node(),
                        bounds.networks().stream().map(Cidr::toString).toList());
    }

    /** Checks the names of a new token: required with the scope ingest, and only with it. */
    static void check(BodyChecks checks, @Nullable Reporting reporting, Collection<Scope> scopes) {
        boolean ingests = scopes.contains(Scope.INGEST);
        checks.that(
                ingests == (reporting != null),
                "reporting",
                reporting == null ? null : reporting.source(),
                ingests
                        ? "source, and node or networks, of what the token reports"
                        : "absent without the scope ingest");
        if (reporting != null) {
            reporting.check(checks);
        }
    }

    private void check(BodyChecks checks) {
        List<@Nullable String> blocks = Objects.requireNonNullElse(networks, List.of());
        checks.text("reporting.source", source, MOST_SOURCE_CHARS)
                .that(
                        node == null || (!node.isBlank() && node.length() <= MOST_NODE_CHARS),
                        "reporting.node",
                        node == null ? null : node.length() + " characters",
                        "1 to " + MOST_NODE_CHARS + " characters")
                .that(
                        node != null || !blocks.isEmpty(),
                        "reporting",
                        source,
                        "node, networks or both")
                .that(
                        blocks.size() <= MOST_NETWORKS,
                        "reporting.networks",
                        blocks.size() + " blocks",
                        "at most " + MOST_NETWORKS);
        for (int i = 0; i < Math.min(blocks.size(), MOST_NETWORKS); i++) {
            String block = blocks.get(i);
            checks.that(
                    ReportingBounds.isBlock(block),
                    "reporting.networks[" + i + "]",
                    block,
                    ReportingBounds.BLOCK);
        }
    }

    /** Returns the bounds; call it after {@link #check}. */
    ReportingBounds bounds() {
        return new ReportingBounds(
                Objects.requireNonNull(source).strip(),
                node == null ? null : node.strip(),
                Objects.requireNonNullElse(networks, List.<@Nullable String>of()).stream()
                        .map(text -> Cidr.parse(Objects.requireNonNull(text)))
                        .toList());
    }

    /** Returns the names as text for the audit log. */
    String text() {
        return "reports as " + source
                + (node == null ? "" : " of " + node)
                + (networks == null || networks.isEmpty() ? "" : " for " + networks);
    }
}
