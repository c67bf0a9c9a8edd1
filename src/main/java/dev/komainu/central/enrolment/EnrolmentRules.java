package dev.komainu.central.enrolment;

import dev.komainu.central.access.ApiToken;
import dev.komainu.central.access.ReportingBounds;
import dev.komainu.central.enrolment.EnrolmentRefusedException.Reason;
import dev.komainu.central.enrolment.EnrolmentService.Application;
import dev.komainu.settings.Cidr;
import java.net.InetAddress;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * The rules by which a code admits a part. A code that names no host admits hosts that have neither
 * a part nor a token, so that its holder cannot take another host's name. A code that names a host
 * replaces the part of the same source.
 */
final class EnrolmentRules {

    private EnrolmentRules() {}

    static void checkOpen(StoredCode code, Instant now) throws EnrolmentRefusedException {
        if (!code.expires().isAfter(now)) {
            throw new EnrolmentRefusedException(
                    Reason.CODE_EXPIRED,
                    "secret: expired at " + code.expires() + " (this service's clock: " + now
                            + ")");
        }
    }

    static void checkUnused(StoredCode code) throws EnrolmentRefusedException {
        if (code.used() >= code.uses()) {
            throw new EnrolmentRefusedException(
                    Reason.CODE_USED,
                    "secret: used " + code.used() + " times (expected: at most " + code.uses()
                            + ")");
        }
    }

    static void checkAllowed(Application application, StoredCode code)
            throws EnrolmentRefusedException {
        PartKind kind = application.kind();
        if (!code.kinds().contains(kind)) {
            throw outside("kind: " + kind.text() + " (expected: "
                    + String.join(
                            " or ", code.kinds().stream().map(PartKind::text).toList())
                    + ")");
        }
        if (!kind.mayBe(application.source())) {
            throw outside("source: " + application.source() + " (expected: one of kind "
                    + kind.text() + ")");
        }
        String node = application.node();
        if (node == null ? kind.needsNode() : code.node() != null && !node.equals(code.node())) {
            throw outside("node: " + node + " (expected: "
                    + (code.node() == null ? "the host's name" : code.node()) + ")");
        }
        if (node == null && code.networks().isEmpty()) {
            throw outside(
                    "node: absent (expected: the host's name, or a code that names networks)");
        }
    }

    private static EnrolmentRefusedException outside(String message) {
        return new EnrolmentRefusedException(Reason.OUTSIDE_CODE, message);
    }

    /**
     * Checks that no other part has the source or the host. A code that names the host admits it,
     * but not to the source of another host.
     *
     * @param tokens tokens that are bound to a host, and have not expired
     */
    static void checkFree(
            Application application, StoredCode code, List<Part> others, List<ApiToken> tokens)
            throws EnrolmentRefusedException {
        String holder = others.stream()
                .filter(part -> holds(part.bounds(), application, code)
                        && (part.bounds().source().equals(application.source())
                                || !part.code().equals(code.id())))
                .map(part -> part.bounds().source())
                .findFirst()
                .or(() -> tokens.stream()
                        .filter(token -> {
                            ReportingBounds bounds = token.reportingBounds();
                            return bounds != null && holds(bounds, application, code);
                        })
                        .map(token -> "the token \"" + token.name() + "\"")
                        .findFirst())
                .orElse(null);
        if (holder != null) {
            throw new EnrolmentRefusedException(
                    Reason.SOURCE_TAKEN,
                    "source: " + application.source() + " (" + holder
                            + " has this source or host; expected: "
                            + (code.node() == null
                                    ? "a code for the host " + application.node()
                                    : "a source of the host " + code.node())
                            + ")");
        }
    }

    private static boolean holds(ReportingBounds bounds, Application application, StoredCode code) {
        boolean sameSource = bounds.source().equals(application.source());
        String named = code.node();
        if (named != null) {
            // What has no host's name is of the host in the name of its source.
            return sameSource
                    && !bounds.allowsNode(named)
                    && !(bounds.node() == null && bounds.source().endsWith("@" + named));
        }
        String node = application.node();
        return sameSource || (node != null && bounds.allowsNode(node));
    }

    /**
     * Returns the names in which the part may report.
     *
     * @param tokens tokens that are bound, and have not expired
     * @param leftOut receives the addresses that another part or token has
     */
    static ReportingBounds bounds(
            Application application,
            StoredCode code,
            List<Part> others,
            List<ApiToken> tokens,
            List<InetAddress> leftOut) {
        if (!code.networks().isEmpty()) {
            return new ReportingBounds(application.source(), application.node(), code.networks());
        }
        List<Cidr> own = new ArrayList<>();
        for (InetAddress address : application.addresses()) {
            // A probe watches networks of others; it does not have their addresses.
            boolean taken = others.stream()
                    .filter(part -> part.kind() != PartKind.PROBE
                            && (application.node() == null
                                    || !part.bounds().allowsNode(application.node())))
                    .anyMatch(part -> part.bounds().allowsAddress(address));
            if (taken || tokens.stream().anyMatch(token -> has(token, application, address))) {
                leftOut.add(address);
            } else if (!address.isLoopbackAddress() && !address.isAnyLocalAddress()) {
                own.add(new Cidr(address, address.getAddress().length * Byte.SIZE));
            }
        }
        return new ReportingBounds(application.source(), application.node(), own);
    }

    /**
     * Reports whether the token of another host has an address. A token tells no kind, so a block
     * of several addresses counts as what a probe watches.
     */
    private static boolean has(ApiToken token, Application application, InetAddress address) {
        ReportingBounds bounds = token.reportingBounds();
        return bounds != null
                && bounds.node() != null
                && (application.node() == null || !bounds.allowsNode(application.node()))
                && bounds.networks().stream()
                        .anyMatch(block -> block.contains(address)
                                && block.bits() == address.getAddress().length * Byte.SIZE);
    }
}
