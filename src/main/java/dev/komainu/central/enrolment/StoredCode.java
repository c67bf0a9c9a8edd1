package dev.komainu.central.enrolment;

import dev.komainu.settings.Cidr;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A code with which parts enrol, without its secret.
 *
 * @param kinds kinds of parts that may use it
 * @param node the host that may use it, in place of the parts that it has; absent: a host that has
 *     none yet
 * @param networks addresses for which the parts may report; empty: those that they name and no
 *     other part has
 * @param uses number of parts that may use it
 * @param used number of those that did
 */
public record StoredCode(
        String id,
        List<PartKind> kinds,
        @Nullable String node,
        List<Cidr> networks,
        int uses,
        int used,
        Instant created,
        String createdBy,
        Instant expires) {

    public StoredCode {
        kinds = List.copyOf(kinds);
        networks = List.copyOf(networks);
    }
}
