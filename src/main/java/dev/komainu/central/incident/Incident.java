package dev.komainu.central.incident;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * {@code Incident} of the contract: one fault and all services that feel it. Immutable.
 *
 * @param id 16 hexadecimal digits
 * @param root id of the service in which the cause lies: no service on which it depends is in a bad
 *     state
 * @param began entry of its first service into a bad state
 * @param ended when its last service left its bad state; absent while it lasts
 * @param mergedInto id of the incident that continues this one; absent for every other incident
 * @param settled false in the first seconds of an incident whose root waits for a watched server
 *     that is not in a bad state yet and may turn out to be the root. No notice is sent until then
 * @param members its services, the root first, then by the time of entry
 */
@JsonInclude(JsonInclude.Include.ALWAYS)
public record Incident(
        String id,
        String root,
        Instant began,
        @Nullable Instant ended,
        @Nullable String mergedInto,
        boolean settled,
        List<IncidentMember> members) {

    private static final SecureRandom RANDOM = new SecureRandom();

    public Incident {
        members = List.copyOf(members);
    }

    static String newId() {
        return HexFormat.of().toHexDigits(RANDOM.nextLong());
    }

    /** Returns the member with this id; null when the service is none. */
    public @Nullable IncidentMember member(String service) {
        for (IncidentMember member : members) {
            if (member.service().equals(service)) {
                return member;
            }
        }
        return null;
    }

    /** Returns the member in which the cause lies. */
    public IncidentMember rootMember() {
        return members.getFirst();
    }

    boolean isActive() {
        return members.stream().anyMatch(IncidentMember::isActive);
    }

    /** Returns the incident as it ends, with the time at which its last service recovered. */
    Incident ended(@Nullable String into) {
        // Not later than its begin if the clock was set back.
        Instant last = members.stream()
                .map(IncidentMember::until)
                .filter(Objects::nonNull)
                .max(Comparator.naturalOrder())
                .orElse(began);
        return new Incident(id, root, began, last, into, settled, members);
    }
}
